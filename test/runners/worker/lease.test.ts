// A runner's leases: renewed while it lives, given up for good once it may be taken for dead.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import pg from 'pg';
import { unavailable } from '../../../domain/errors.js';
import type { Ledger } from '../../../runners/ledger.js';
import type { ClaimDesk, RunnerPresence } from '../../../projections/ports.js';
import { claimed } from '../../support/claims.js';
import {
  column,
  enqueued,
  TAKEN_OVER,
  factsOf,
  isIn,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { working } from '../../support/runners.js';
import { gate, until } from '../../support/waiting.js';

describe("a runner's lease", () => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  const declareLost = async (): Promise<void> => {
    await column(ledger, 'UPDATE __schema__.runner_presence SET lost = true RETURNING runner');
  };

  const runnersOf = async (jobId: string): Promise<readonly string[]> =>
    (await factsOf(ledger, jobId, 'JobClaimed')).map(({ runner }) => runner.id);

  it('is renewed while every connection of the process is taken by something else', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'long' });
    const door = gate();
    const { done, stop, lines } = working(ledger, [{ type: 'long', run: () => door.opened }]);
    await until('it runs', () => isIn(ledger, 'Running', id));
    const outside = new pg.Client({ connectionString: ledger.url });
    await outside.connect();
    const renewedUntil = async (): Promise<string> =>
      (
        await outside.query<{ until: string }>(
          'SELECT max(renewed_until)::text AS until FROM jobledger.runner_presence WHERE NOT lost',
        )
      ).rows[0]?.until ?? '';
    const taken: pg.PoolClient[] = [];
    const waiting: Promise<void>[] = [];
    // As many statements as a storm of cancels brings stand in the line before every renewal.
    for (let n = 0; n < 300; n += 1) {
      const taking = ledger.pool.connect().then((client) => void taken.push(client));
      waiting.push(taking.catch(() => undefined));
    }
    await until('all connections are taken', () => taken.length === ledger.pool.options.max);
    for (let renewal = 0; renewal < 4; renewal += 1) {
      const before = await renewedUntil();
      await until('it is renewed', async () => (await renewedUntil()) > before);
    }
    // Everybody in the line has a turn.
    while (taken.length > 0) {
      taken.pop()?.release();
      await new Promise(setImmediate);
    }
    await Promise.all(waiting);
    for (const client of taken) client.release();
    await outside.end();
    door.open();
    await until('it is done', () => isIn(ledger, 'Succeeded', id));
    stop();
    await done;
    expect(lines.filter((line) => line.includes('lost its leases'))).to.deep.equal([]);
    expect(await runnersOf(id)).to.have.lengthOf(1);
  });

  it('is renewed while a handler runs for several leases', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'long' });
    const door = gate();
    const run = (): Promise<void> => door.opened;
    const { done, stop } = working(ledger, [{ type: 'long', run }], { reaperTickMs: 100 });
    const begun = (await factsOf(ledger, id, 'JobEnqueued'))[0]?.enqueuedAt ?? '';
    await until('two leases have passed', async () => {
      const [passed] = await column(
        ledger,
        `SELECT (clock_timestamp() > $1::timestamptz + interval '5 seconds')::text`,
        begun,
      );
      return passed === 'true';
    });
    door.open();
    await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
    stop();
    expect(await done).to.include({ succeeded: 1, lost: 0 });
    expect(await typesOf(ledger, id)).not.to.include('LeaseExpired');
  });

  it('is renewed at once by a heartbeat', async () => {
    await enqueued(ledger, { type: 'beating' });
    const renewals: (string | null | undefined)[] = [];
    const renewedUntil = async (): Promise<string | null | undefined> =>
      (await column(ledger, 'SELECT renewed_until::text FROM __schema__.runner_presence'))[0];
    const { done, stop } = working(
      ledger,
      [
        {
          type: 'beating',
          run: async (_, { heartbeat }) => {
            renewals.push(await renewedUntil());
            await heartbeat();
            renewals.push(await renewedUntil());
          },
        },
      ],
      { leaseMs: 600_000 },
    );
    await until('it has beaten', () => renewals.length === 2);
    stop();
    await done;
    expect(String(renewals[1]) > String(renewals[0])).to.equal(true);
  });

  it('once declared lost fires the signal and drops the report, and the runner goes on under a new id', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'slow' });
    const doors = [gate(), gate()];
    const reasons: string[] = [];
    const ends: number[] = [];
    const { done, stop } = working(
      ledger,
      [
        {
          type: 'slow',
          run: async ({ attempt }, { signal }) => {
            signal.addEventListener('abort', () => reasons.push(String(signal.reason)));
            await doors[attempt - 1]?.opened;
            ends.push(attempt);
          },
        },
      ],
      { leaseMs: 600 },
    );
    await until('it runs', () => isIn(ledger, 'Running', id));
    await declareLost();
    await until('its signal has fired', () => reasons.length === 1);
    await until('its claim has expired', () => isIn(ledger, 'Waiting', id));
    doors[0]?.open();
    await until('the first handler has ended', () => ends.includes(1));
    await until('it runs again', async () => (await factsOf(ledger, id, 'AttemptStarted')).length === 2);
    doors[1]?.open();
    await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
    stop();
    expect(await done).to.include({ succeeded: 1, lost: 1 });
    expect(reasons[0]).to.include('lost');
    expect(await typesOf(ledger, id)).to.deep.equal(TAKEN_OVER);
    const runners = await runnersOf(id);
    expect(new Set(runners).size).to.equal(2);
    const [succeeded] = await factsOf(ledger, id, 'AttemptSucceeded');
    expect(succeeded).to.include({ attempt: 2, executionSource: 'FAILOVER' });
    const told = await column(
      ledger,
      `SELECT DISTINCT data ->> 'how' FROM __schema__.event WHERE stream = $1 AND type = 'RunnerStopped'`,
      `runner-${runners[0]}`,
    );
    expect(told).to.deep.equal(['lost']);
  });

  const withPresence = (presence: Partial<RunnerPresence>): Ledger => ({
    ...ledger,
    presence: { ...ledger.presence, ...presence },
  });

  for (const [what, renew] of [
    ['fails', () => Promise.resolve(E.left(unavailable('not today')))],
    ['is never answered', () => new Promise<never>(() => undefined)],
  ] as const) {
    it(`is over where every renewal ${what} for a whole lease`, async () => {
      await enqueued(ledger, { type: 'cut off' });
      const reasons: string[] = [];
      const cutOff = withPresence({ renew: () => renew });
      const { done, stop } = working(
        cutOff,
        [
          {
            type: 'cut off',
            run: (_, { signal }) =>
              new Promise<void>((resolve) => {
                signal.addEventListener('abort', () => {
                  reasons.push(String(signal.reason));
                  resolve();
                });
              }),
          },
        ],
        { leaseMs: 500, graceMs: 0 },
      );
      await until('the signal has fired', () => reasons.length > 0);
      stop();
      await done;
      expect(reasons[0]).to.include('could not renew for a whole lease');
    });
  }

  it('does not cover claims that arrive when it is over: no handler is called for them', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'late' });
    const calls: (readonly string[])[] = [];
    let isFirst = true;
    const withPicked: ClaimDesk['withPicked'] = (picks, use) => async () => {
      const answer = await ledger.claimDesk.withPicked(picks, use)();
      if (isFirst && (await isIn(ledger, 'Running', id))) {
        isFirst = false;
        await declareLost();
        await until('the runner knows', () => lines.some((line) => line.includes('lost its leases')));
      }
      return answer;
    };
    const late = { ...ledger, claimDesk: { ...ledger.claimDesk, withPicked } };
    const run = async (): Promise<void> => {
      calls.push(await runnersOf(id));
    };
    const { done, stop, lines } = working(late, [{ type: 'late', run }], { leaseMs: 500 });
    await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
    stop();
    await done;
    expect(calls.map(({ length }) => length)).to.deep.equal([2]);
    expect(await typesOf(ledger, id)).to.deep.equal(TAKEN_OVER);
  });

  it('does not cover a start that arrives when it is over: its handler is not called', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'late start' });
    // A job that lost a lease before is started by itself, not with its claim.
    await claimed(ledger, id, { leaseMs: 0 });
    await ledger.recover(() => undefined);
    const attempts: number[] = [];
    let isFirst = true;
    const append: Ledger['store']['append'] = (appends) => async () => {
      const answer = await ledger.store.append(appends)();
      if (isFirst && appends.some(({ events }) => events.some(({ type }) => type === 'AttemptStarted'))) {
        isFirst = false;
        await declareLost();
        await until('the runner knows', () => lines.some((line) => line.includes('lost its leases')));
      }
      return answer;
    };
    const late = { ...ledger, store: { ...ledger.store, append } };
    const run = ({ attempt }: { attempt: number }): void => void attempts.push(attempt);
    const { done, stop, lines } = working(late, [{ type: 'late start', run }], { leaseMs: 500 });
    await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
    stop();
    await done;
    expect(attempts).to.deep.equal([2]);
  });
});
