import { isLeft } from 'fp-ts/lib/Either.js';
import { expect } from 'chai';
import { inlineWrites } from '../../../adapters/postgres/inline.js';
import type { JobCommand } from '../../../domain/job/commands.js';
import { decide } from '../../../domain/job/decide.js';
import { advanceJob } from '../../../domain/job/fold.js';
import { noJob } from '../../../domain/job/state.js';
import type { StreamAppend } from '../../../domain/ports.js';
import { inlineProjections } from '../../../projections/index.js';
import { at, claim, deduplicated, enqueue, start, succeed, suppress } from '../../support/given-commands.js';
import { appendAll, ledgerDatabase, right, type LedgerDatabase } from '../../support/ledger-database.js';
import { uuidOf } from '../../support/random-appends.js';
import { appendOf, rawEvent } from '../../support/single-append.js';
import { eventually } from '../../support/eventually.js';

/** The appends of one job's story, command by command. */
const story = (jobId: string, ...commands: readonly JobCommand[]): readonly StreamAppend[] => {
  let state = noJob;
  return commands.map((command) => {
    const decided = decide(command, state);
    if (isLeft(decided)) throw new Error(decided.left._tag);
    const expected = state._tag === 'None' ? ('no-stream' as const) : state.revision;
    state = advanceJob(state, decided.right);
    return appendOf(`job-${jobId}`, expected, ...decided.right);
  });
};

const one = (appends: readonly StreamAppend[], index: number): StreamAppend => {
  const found = appends[index];
  if (found === undefined) throw new Error(`no append ${index}`);
  return found;
};

describe('inline projections', () => {
  let ledger: LedgerDatabase;
  before(async () => {
    ledger = await ledgerDatabase();
  });
  after(() => ledger.drop());

  const standing = async (jobId: string): Promise<readonly object[]> => {
    const { rows } = await ledger.pool.query(
      `SELECT 'ready' AS stands, revision::int FROM jobledger.ready_job WHERE job = $1
       UNION ALL SELECT 'delayed', revision::int FROM jobledger.delayed_job WHERE job = $1
       UNION ALL SELECT 'duplicate', coalesce(revision, -1)::int FROM jobledger.duplicate WHERE job = $1`,
      [jobId],
    );
    return rows;
  };

  it('add nothing to the append of an attempt of a plain job', () => {
    const { fragments } = inlineWrites(inlineProjections);
    const plain = story(uuidOf(8, 1), enqueue(), claim(), start(), succeed());
    expect(plain.map((append) => fragments([append]).length)).to.deep.equal([1, 1, 0, 0]);
    const equal = story(uuidOf(8, 2), enqueue({ dedup: deduplicated }), claim(), start(), succeed());
    expect(equal.map((append) => fragments([append]).length)).to.deep.equal([2, 2, 0, 1]);
  });

  it('write with the append, and nothing where it is refused', async () => {
    const jobId = uuidOf(8, 3);
    const [first, second] = [story(jobId, enqueue({ dedup: deduplicated })), story(jobId, enqueue())];
    await appendAll(ledger.store, first);
    const other = story(uuidOf(8, 4), enqueue());
    const outcomes = await right(ledger.store.append([one(second, 0), one(other, 0)]));
    expect(outcomes.map(({ _tag }) => _tag)).to.deep.equal(['Left', 'Right']);
    expect(await standing(jobId)).to.deep.equal([
      { stands: 'ready', revision: 0 },
      { stands: 'duplicate', revision: 0 },
    ]);
    expect(await standing(uuidOf(8, 4))).to.deep.equal([{ stands: 'ready', revision: 0 }]);
    const stale = { ...one(story(jobId, enqueue(), claim()), 1), expected: 5n };
    expect((await right(ledger.store.append([stale]))).map(({ _tag }) => _tag)).to.deep.equal(['Left']);
    expect(await standing(jobId)).to.have.length(2);
  });

  it('change nothing when the same append is sent again', async () => {
    const jobId = uuidOf(8, 5);
    const appends = story(jobId, enqueue({ dedup: deduplicated }), claim());
    await appendAll(ledger.store, appends);
    const again = await right(ledger.store.append([one(appends, 0)]));
    expect(again.map((outcome) => isLeft(outcome) || outcome.right.alreadyThere)).to.deep.equal([true]);
    expect(await standing(jobId)).to.deep.equal([]);
  });

  it('put a delayed job into delayed_job, and take it out of there when it is claimed', async () => {
    const jobId = uuidOf(8, 6);
    const appends = story(
      jobId,
      enqueue({ notBefore: '2999-01-01T00:00:00.000Z' }),
      claim({ now: '2999-01-02T00:00:00.000Z' }),
    );
    await appendAll(ledger.store, [one(appends, 0)]);
    expect(await standing(jobId)).to.deep.equal([{ stands: 'delayed', revision: 0 }]);
    await appendAll(ledger.store, [one(appends, 1)]);
    expect(await standing(jobId)).to.deep.equal([]);
  });

  for (const [what, command, expected] of [
    [
      'suppression',
      suppress({ notBefore: at(0) }),
      [
        { stands: 'ready', revision: 1 },
        { stands: 'duplicate', revision: 1 },
      ],
    ],
    ['cancellation', { _tag: 'CancelJob', reason: 'no' } as const, []],
  ] as const) {
    it(`find a job that is promoted at the moment of its ${what}`, async () => {
      const jobId = uuidOf(8, what.length);
      const appends = story(
        jobId,
        enqueue({ dedup: deduplicated, notBefore: '2999-01-01T00:00:00.000Z' }),
        command,
      );
      await appendAll(ledger.store, [one(appends, 0)]);
      const promoter = await ledger.pool.connect();
      await promoter.query('BEGIN');
      await promoter.query(
        `WITH due AS (DELETE FROM jobledger.delayed_job WHERE job = '${jobId}' RETURNING *)
         INSERT INTO jobledger.ready_job SELECT * FROM due`,
      );
      const appended = appendAll(ledger.store, [one(appends, 1)]);
      await eventually(async () => {
        const { rows } = await ledger.pool.query(`SELECT FROM pg_locks WHERE NOT granted`);
        expect(rows).to.have.length(1);
      });
      await promoter.query('COMMIT');
      promoter.release();
      await appended;
      expect(await standing(jobId)).to.deep.equal(expected);
    });
  }

  it('take no notice of an event that they cannot read', async () => {
    const stream = `job-${uuidOf(8, 9)}`;
    await appendAll(ledger.store, [{ stream, expected: 'no-stream', events: [rawEvent('JobEnqueued', {})] }]);
    expect(await standing(uuidOf(8, 9))).to.deep.equal([]);
  });
});
