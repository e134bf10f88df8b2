// Connections that break while work is going on: nothing is lost, nothing stays claimed, every job succeeds.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { unavailable } from '../../../domain/errors.js';
import type { ClaimDesk } from '../../../projections/ports.js';
import {
  column,
  enqueued,
  everyHistory,
  isIn,
  testLedger,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { working } from '../../support/runners.js';
import { gate, until } from '../../support/waiting.js';

const JOBS = 400;

describe('connections that break while a runner works', () => {
  let ledger: TestLedger;

  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());

  const breakAll = (): Promise<readonly (string | null)[]> =>
    column(
      ledger,
      `SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    ).catch(() => []);

  it('cost no job: each succeeds, and the tables agree with the history', async () => {
    const jobs = Array.from({ length: JOBS }, (_, n) => ({ type: 'work', params: { n } }));
    const ids = await enqueued(ledger, ...jobs);
    const calls = new Map<string, number>();
    const run = async ({ id }: { id: string }): Promise<void> => {
      calls.set(id, (calls.get(id) ?? 0) + 1);
      await new Promise((resolve) => setImmediate(resolve));
    };
    const { done, stop } = working(ledger, [{ type: 'work', run }], { concurrency: 8, leaseMs: 3_000 });
    for (const share of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      await until('some are done', () => calls.size >= JOBS * share);
      await breakAll();
    }
    await until('all have succeeded', async () => {
      const histories = await everyHistory(ledger).catch(() => new Map<string, never[]>());
      return ids.every((id) => histories.get(id)?.at(-1)?.type === 'AttemptSucceeded');
    });
    stop();
    await done;
    for (const [id, events] of await everyHistory(ledger)) {
      const expired = events.filter(({ type }) => type === 'LeaseExpired').length;
      expect(calls.get(id), id).to.be.within(1, 1 + expired);
    }
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });

  it('leave no claim behind that a frozen server commits when everybody has given it up', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'frozen' });
    const { claimDesk } = ledger;
    const thawed = gate();
    let frozen: Promise<unknown> | undefined;
    const freezing: ClaimDesk['withPicked'] = (picks, use) => async () => {
      if (frozen !== undefined) return claimDesk.withPicked(picks, use)();
      const written = gate();
      frozen = claimDesk.withPicked(picks, async (session) => {
        const used = await use(session);
        written.open();
        await thawed.opened;
        return used;
      })();
      await written.opened;
      return E.left(unavailable('no answer'));
    };
    const calls: string[] = [];
    const handler = { type: 'frozen', run: ({ id: called }: { id: string }) => void calls.push(called) };
    const { done, stop, lines } = working(
      { ...ledger, claimDesk: { ...claimDesk, withPicked: freezing } },
      [handler],
      { leaseMs: 30_000 },
    );
    await until('the claim has been looked for', () => lines.some((line) => line.includes('in doubt')));
    await until('it is still to be claimed', () => isIn(ledger, 'Waiting', id));
    thawed.open();
    await frozen;
    await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
    expect(calls).to.deep.equal([id]);
    stop();
    await done;
  });
});
