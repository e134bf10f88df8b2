// Children exist if and only if the success that spawned them does: whatever ends between the two.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { catchUp } from '../../../adapters/postgres/projector.js';
import { derivedId } from '../../../adapters/system.js';
import { unavailable } from '../../../domain/errors.js';
import { attemptIdOf } from '../../../domain/job/task-id.js';
import { claimedJob } from '../../../projections/claimed-job.js';
import { followUp, spawned, type FollowUpPorts } from '../../../runners/follow-up.js';
import type { JobEventOf } from '../../../domain/job/events.js';
import { onEachStore } from '../../support/each-store.js';
import { claimed } from '../../support/claims.js';
import { executionFile } from '../../support/execution-file.js';
import {
  column,
  enqueued,
  everyHistory,
  factsOf,
  isIn,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { right } from '../../support/ledger-database.js';
import { drained, runnerProcess, working } from '../../support/runners.js';
import { until } from '../../support/waiting.js';

const silent = (): void => undefined;

onEachStore('jobs that spawn jobs', (openLedger) => {
  let ledger: TestLedger;
  beforeEach(async () => {
    ledger = await openLedger();
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  it('are refused where the attempt is over, instead of being dropped', async () => {
    await enqueued(ledger, { type: 'parent' });
    let late: (() => void) | undefined;
    const run = (_: unknown, { spawn }: { spawn: (job: { type: string }) => void }): void => {
      late = () => spawn({ type: 'child' });
    };
    await drained(ledger, [{ type: 'parent', run }]);
    expect(() => late?.()).to.throw('spawn: the attempt is over');
  });

  const childrenOf = async (parent: string): Promise<readonly string[]> => {
    const [success] = await factsOf(ledger, parent, 'AttemptSucceeded');
    return (success?.spawned ?? []).map(({ jobId }) => (typeof jobId === 'string' ? jobId : ''));
  };

  it('have children whose ids follow from the attempt', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'parent' });
    await drained(ledger, [
      {
        type: 'parent',
        run: (_, { spawn }) => [1, 2].forEach((n) => spawn({ type: 'child', params: { n } })),
      },
    ]);
    const [started] = await factsOf(ledger, id, 'AttemptStarted');
    const attemptId = attemptIdOf(started?.taskId ?? '');
    const children = await childrenOf(id);
    expect(children).to.deep.equal([derivedId(attemptId, 0), derivedId(attemptId, 1)]);
    expect(await isIn(ledger, 'Waiting', ...children)).to.equal(true);
  });

  it('have none where the attempt fails', async () => {
    const ids = await enqueued(ledger, { type: 'failing' });
    await drained(ledger, [
      {
        type: 'failing',
        retry: false,
        run: (_, { spawn }) => {
          spawn({ type: 'child' });
          return false;
        },
      },
    ]);
    await ledger.recover(silent);
    expect([...(await everyHistory(ledger)).keys()]).to.deep.equal(ids);
  });

  it('have their children also where the process is killed between the success and them, each once', async () => {
    const file = executionFile();
    const [id = ''] = await enqueued(ledger, { type: 'parent', params: { spawns: 3 } });
    const process = runnerProcess({
      ...ledger.place,
      file: file.path,
      leaseMs: 1_000,
      diesBeforeChildren: true,
    });
    try {
      expect(await process.ended).to.equal('SIGKILL');
    } finally {
      await process.kill();
      file.remove();
    }
    expect((await typesOf(ledger, id)).at(-1)).to.equal('AttemptSucceeded');
    const children = await childrenOf(id);
    expect(children).to.have.lengthOf(3);
    expect([...(await everyHistory(ledger)).keys()]).to.deep.equal([id]);

    const { done, stop } = working(ledger, [{ type: 'child', run: () => 1 }]);
    await until('the children have succeeded', () => isIn(ledger, 'Succeeded', ...children));
    stop();
    expect(await done).to.include({ succeeded: 3 });
    expect([...(await everyHistory(ledger)).keys()]).to.have.members([id, ...children]);
  });

  it('are found by a runner that drains, which does not end before their children', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'parent' });
    const { producer } = ledger;
    const forgetful = { ...ledger, producer: { ...producer, enqueueAll: () => Promise.resolve([]) } };
    await drained(forgetful, [{ type: 'parent', run: (_, { spawn }) => spawn({ type: 'child' }) }]);
    const children = await childrenOf(id);
    expect(await drained(ledger, [{ type: 'child', run: () => 1 }])).to.include({ succeeded: 1 });
    expect(await isIn(ledger, 'Succeeded', ...children)).to.equal(true);
  });

  it('are looked at once: what stands before the checkpoint is never read again', async () => {
    await enqueued(ledger, ...Array.from({ length: 120 }, (_, n) => ({ type: 'parent', params: { n } })));
    await drained(ledger, [
      { type: 'parent', run: (_, { spawn }) => spawn({ type: 'child' }) },
      { type: 'child', run: () => 1 },
    ]);
    expect(await right(() => ledger.recover(silent))).to.equal(0);
    const [position] = await column(
      ledger,
      `SELECT position::text FROM __schema__.checkpoint WHERE projection = 'spawned'`,
    );
    expect(BigInt(position ?? 0) >= (await lastSuccess(({ spawned: some }) => some !== undefined))).to.equal(
      true,
    );
    const numbers = await column(ledger, `SELECT nextval('__schema__.job_number')::text`);
    expect(numbers).to.deep.equal(['241']);
  });

  it('hold up the recovery of no claim where their children cannot be enqueued now', async () => {
    const [parent = '', held = ''] = await enqueued(ledger, { type: 'parent' }, { type: 'held' });
    const { producer } = ledger;
    const forgetful = { ...ledger, producer: { ...producer, enqueueAll: () => Promise.resolve([]) } };
    await drained(forgetful, [{ type: 'parent', run: (_, { spawn }) => spawn({ type: 'child' }) }]);
    await claimed(ledger, held, { leaseMs: 1 });
    const away = await followedUp(() => Promise.resolve([E.left(unavailable('the database is away'))]));
    expect(away).to.deep.equal({ isBehind: false, claims: true });
    const back = await followedUp(producer.enqueueAll);
    expect(back).to.deep.equal({ isBehind: true, claims: true });
    expect(await isIn(ledger, 'Waiting', ...(await childrenOf(parent)))).to.equal(true);
  });

  const lastSuccess = async (
    isMeant: (data: JobEventOf<'AttemptSucceeded'>['data']) => boolean = () => true,
  ): Promise<bigint> => {
    const events = [...(await everyHistory(ledger)).values()].flat();
    const positions = events.flatMap(({ event, position }) =>
      event.type === 'AttemptSucceeded' && isMeant(event.data) ? [position] : [],
    );
    return positions.reduce((last, position) => (position > last ? position : last), 0n);
  };

  /** A round of the follow-up with this way to enqueue: whether it has left the success behind, and the claims are caught up. */
  const followedUp = async (enqueueAll: FollowUpPorts['enqueueAll']) => {
    const { look } = followUp({
      store: ledger.store,
      prunedAmong: ledger.reading.prunedAmong,
      enqueueAll,
      log: silent,
    });
    const options = { store: ledger.store, before: { [spawned.name]: look } };
    await right(catchUp(ledger.pool, ledger.schema, [claimedJob, spawned], options));
    const [position] = await column(
      ledger,
      `SELECT position::text FROM __schema__.checkpoint WHERE projection = 'spawned'`,
    );
    const [claims] = await column(ledger, `SELECT count(*)::text FROM __schema__.claimed_job`);
    return { isBehind: BigInt(position ?? 0) >= (await lastSuccess()), claims: claims === '1' };
  };
});
