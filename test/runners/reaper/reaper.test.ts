// Recovery: what the reaper finds, what it leaves alone, and that any number of reapers do no harm.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { unavailable } from '../../../domain/errors.js';
import { millisecondsBetween } from '../../../domain/instant.js';
import { expireClaims, reaper } from '../../../runners/reaper.js';
import { onEachStore } from '../../support/each-store.js';
import { claimed, runnerNamed } from '../../support/claims.js';
import { right } from '../../support/ledger-database.js';
import {
  column,
  enqueued,
  factsOf,
  isIn,
  stateOf,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { until } from '../../support/waiting.js';

const silent = (): void => undefined;

onEachStore('the reaper', (openLedger) => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await openLedger();
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  const round = (pageSize = 500): Promise<E.Either<unknown, number>> =>
    expireClaims(ledger.reaperPorts(silent), { by: 'reaper', pageSize });

  const arrive = (id: string, leaseMs: number) =>
    right(ledger.presence.arrive({ id, host: 'host', leaseMs }));

  it('leaves a claim alone whose lease or whose runner lives', async () => {
    const [lease = '', runner = ''] = await enqueued(ledger, { type: 'a' }, { type: 'b' });
    await claimed(ledger, lease, { leaseMs: 60_000 });
    await arrive('alive', 60_000);
    await claimed(ledger, runner, { leaseMs: 0, runner: runnerNamed('alive') });
    expect(await round()).to.deep.equal(E.right(0));
    expect(await isIn(ledger, 'Claimed', lease, runner)).to.equal(true);
  });

  it('expires the claims of a runner that is overdue, and marks it so that it cannot renew', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'a' });
    await arrive('overdue', 0);
    await claimed(ledger, id, { leaseMs: 0, runner: runnerNamed('overdue') });
    expect(await round()).to.deep.equal(E.right(1));
    expect(await right(ledger.presence.renew('overdue', 60_000))).to.equal(false);
    const [expired] = await factsOf(ledger, id, 'LeaseExpired');
    expect(expired?.runner.id).to.equal('overdue');
    expect(expired?.lastRenewal).to.be.a('string');
    expect(await round()).to.deep.equal(E.right(0));
  });

  it('leaves a claim of a lost runner alone until its own lease has passed', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'a' });
    await arrive('overdue', 0);
    await claimed(ledger, id, { leaseMs: 1_500, runner: runnerNamed('overdue') });
    expect(await round()).to.deep.equal(E.right(0));
    await until('its lease has passed', async () => E.isRight(await round()) && isIn(ledger, 'Waiting', id));
    const [expired] = await factsOf(ledger, id, 'LeaseExpired');
    const [claim] = await factsOf(ledger, id, 'JobClaimed');
    expect(expired?.leaseExpiresAt).to.equal(claim?.leaseExpiresAt);
  });

  it('counts an attempt that had begun, and none that had not', async () => {
    const [begun = '', waiting = ''] = await enqueued(ledger, { type: 'a' }, { type: 'a' });
    await (await claimed(ledger, begun, { leaseMs: 0 })).start();
    await claimed(ledger, waiting, { leaseMs: 0 });
    expect(await round()).to.deep.equal(E.right(2));
    expect(await stateOf(ledger, begun)).to.have.nested.include({ _tag: 'Waiting', 'job.attempts': 1 });
    expect(await stateOf(ledger, waiting)).to.have.nested.include({ _tag: 'Waiting', 'job.attempts': 0 });
  });

  it('lets the first loss in a row pass, and backs off from the second', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'a' });
    const waits: number[] = [];
    for (let loss = 1; loss <= 3; loss += 1) {
      await until('it is due', async () => {
        const state = await stateOf(ledger, id);
        return state._tag === 'Waiting' && (state.notBefore ?? '') <= (await right(ledger.index.now()));
      });
      await (await claimed(ledger, id, { leaseMs: 0 })).start();
      expect(await round()).to.deep.equal(E.right(1));
      const again = (await factsOf(ledger, id, 'RetryScheduled')).at(-1);
      const now = await right(ledger.index.now());
      waits.push(millisecondsBetween(now, again?.notBefore ?? ''));
    }
    expect(waits[0]).to.be.at.most(0);
    expect(waits[1]).to.be.within(1, 1_200);
    expect(waits[2]).to.be.within(600, 2_400);
  });

  it('reads to the end of the claims, however many before them are exempt', async () => {
    const jobs = Array.from({ length: 30 }, (_, n) => ({ type: 'a', params: { n } }));
    const ids = (await enqueued(ledger, ...jobs)).toSorted();
    await arrive('alive', 600_000);
    for (const [n, id] of ids.entries()) {
      const isLast = n >= 27;
      await claimed(ledger, id, isLast ? { leaseMs: 0 } : { leaseMs: 0, runner: runnerNamed('alive') });
    }
    expect(await round(10)).to.deep.equal(E.right(3));
    expect(await isIn(ledger, 'Waiting', ...ids.slice(27))).to.equal(true);
    expect(await isIn(ledger, 'Claimed', ...ids.slice(0, 27))).to.equal(true);
  });

  it('does in several pages what it does in one', async () => {
    const jobs = Array.from({ length: 25 }, (_, n) => ({ type: 'a', params: { n } }));
    const ids = await enqueued(ledger, ...jobs);
    await Promise.all(ids.map((id) => claimed(ledger, id, { leaseMs: 0 })));
    expect(await round(10)).to.deep.equal(E.right(25));
    expect(await isIn(ledger, 'Waiting', ...ids)).to.equal(true);
  });

  it('expires each claim once where several reapers meet on it', async () => {
    const ids = await enqueued(
      ledger,
      ...Array.from({ length: 20 }, (_, n) => ({ type: 'a', params: { n } })),
    );
    await Promise.all(ids.map((id) => claimed(ledger, id, { leaseMs: 0 })));
    const rounds = await Promise.all(Array.from({ length: 8 }, () => round()));
    const expired = rounds.map((each) => (E.isRight(each) ? each.right : expect.fail(JSON.stringify(each))));
    expect(expired.reduce((sum, each) => sum + each, 0)).to.equal(20);
    for (const id of ids) expect(await factsOf(ledger, id, 'LeaseExpired')).to.have.lengthOf(1);
  });

  it('abandons at the limit of attempts, with the lost lease as the reason', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'a', maxAttempts: 1 });
    await (await claimed(ledger, id, { leaseMs: 0 })).start();
    expect(await round()).to.deep.equal(E.right(1));
    expect((await typesOf(ledger, id)).slice(-2)).to.deep.equal(['LeaseExpired', 'JobAbandoned']);
    expect(await stateOf(ledger, id)).to.include({ _tag: 'Abandoned', reason: 'lease-lost' });
    expect(await round()).to.deep.equal(E.right(0));
  });

  it('finds, while it runs, what a lost runner has left, and says whom it lost', async () => {
    const lines: string[] = [];
    const wakes: number[] = [];
    const running = reaper(
      ledger.reaperPorts((line) => lines.push(line)),
      { by: 'reaper', tickMs: 50, onExpired: () => wakes.push(1) },
    );
    const [id = ''] = await enqueued(ledger, { type: 'a' });
    await arrive('doomed', 400);
    await claimed(ledger, id, { leaseMs: 400, runner: runnerNamed('doomed') });
    await until('the job waits again', () => isIn(ledger, 'Waiting', id));
    await until('the runner has been woken', () => wakes.length > 0);
    await running.stop();
    expect(lines.filter((line) => line.includes('doomed'))).to.have.lengthOf(1);
  });

  it('tells a failing round once, and goes on', async () => {
    const lines: string[] = [];
    let rounds = 0;
    const ports = ledger.reaperPorts((line) => lines.push(line));
    const markLost = () => async () => {
      rounds += 1;
      return rounds < 6 ? E.left(unavailable('not today')) : ports.presence.markLost()();
    };
    const running = reaper({ ...ports, presence: { markLost } }, { by: 'reaper', tickMs: 10 });
    await until('it has gone on', () => rounds > 8);
    await running.stop();
    expect(lines).to.deep.equal(["the reaper's round failed: not today"]);
  });

  it('forgets lost runners that have left nothing', async () => {
    await arrive('long gone', 0);
    await round();
    const age = `UPDATE __schema__.runner_presence SET renewed_until = renewed_until - interval '2 minutes' RETURNING runner`;
    await column(ledger, age);
    expect(await right(ledger.presence.markLost())).to.deep.equal({ newly: [], isAny: true });
    expect(await right(ledger.presence.markLost())).to.deep.equal({ newly: [], isAny: false });
    expect(await column(ledger, 'SELECT runner FROM __schema__.runner_presence')).to.deep.equal([]);
  });
});
