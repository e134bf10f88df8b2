import { expect } from 'chai';
import type { JobCommand } from '../../domain/job/commands.js';
import { queueSummary } from '../../projections/queue-summary.js';
import {
  at,
  cancel,
  claim,
  deduplicated,
  enqueue,
  erase,
  expire,
  fail,
  release,
  requeue,
  start,
  succeed,
  suppress,
} from '../support/given-commands.js';
import { rowsAfter, streamOf } from '../support/given-rows.js';
import { after } from '../support/job-specification.js';

const queue = { wiki: 'enwiki', type: 'refreshLinks' };
const counted = (...commands: readonly JobCommand[]) => rowsAfter(queueSummary, streamOf(after(...commands)));
const due = (...commands: readonly JobCommand[]) =>
  rowsAfter(queueSummary, streamOf(after(...commands)), 'queue_due');

const begun = [enqueue(), claim(), start()];
const superseding = [enqueue({ dedup: deduplicated }), claim({ executedLater: { jobId: 'job-2' } })];

describe('the table queue_summary', () => {
  const cases: readonly (readonly [string, readonly JobCommand[], Readonly<Record<string, number>>])[] = [
    ['waits', [enqueue()], { waiting: 1 }],
    ['is claimed', [enqueue(), claim()], { claimed: 1 }],
    ['runs', begun, { claimed: 1 }],
    ['has succeeded', [...begun, succeed()], { succeeded: 1 }],
    ['is to be retried', [...begun, fail()], { waiting: 1, failed: 1, retried: 1 }],
    ['has lost its lease', [...begun, expire()], { waiting: 1, retried: 1 }],
    ['was abandoned', [...begun, fail({ isRetryable: false })], { abandoned: 1, failed: 1 }],
    ['was given back', [...begun, release()], { waiting: 1 }],
    ['was superseded', superseding, { superseded: 1 }],
    ['answers for another', [enqueue(), suppress()], { waiting: 1, suppressed: 1 }],
    ['was cancelled', [...begun, cancel()], { cancelled: 1 }],
    ['was made ready again', [enqueue(), cancel(), requeue()], { waiting: 1 }],
    ['was erased while it ran', [...begun, erase()], { cancelled: 1 }],
    ['was erased behind its success', [...begun, succeed(), erase()], { succeeded: 1 }],
  ];
  for (const [what, commands, counters] of cases) {
    it(`counts a job that ${what}`, () => {
      expect(counted(...commands)).to.deep.equal([{ ...queue, enqueued: 1, ...counters }]);
    });
  }

  it('keeps one row for each wiki and type', () => {
    const of = (wiki: string, type: string, job: number) => streamOf(after(enqueue({ wiki, type })), job);
    const rows = rowsAfter(queueSummary, [
      ...of('enwiki', 'a', 1),
      ...of('enwiki', 'b', 2),
      ...of('dewiki', 'a', 3),
      ...of('enwiki', 'a', 4),
    ]);
    expect(rows.map(({ wiki, type, waiting }) => [wiki, type, waiting])).to.deep.equal([
      ['enwiki', 'a', 2],
      ['enwiki', 'b', 1],
      ['dewiki', 'a', 1],
    ]);
  });
});

describe('the table queue_due', () => {
  const minute = (seconds: number) => ({ ...queue, minute: at(seconds), jobs: 1 });

  it('counts a delayed job in the minute it falls due', () => {
    expect(due(enqueue({ notBefore: at(119.9) }))).to.deep.equal([minute(60)]);
    expect(due(enqueue())).to.deep.equal([]);
  });

  it('counts a retry in the minute of its due time', () => {
    expect(due(...begun, fail({ now: at(120) }))).to.deep.equal([minute(120)]);
  });

  it('moves with a due time that was inherited', () => {
    const delayed = enqueue({ dedup: deduplicated, notBefore: at(600) });
    expect(due(delayed, suppress({ notBefore: at(300) }))).to.deep.equal([minute(300)]);
  });

  const leaving: readonly (readonly [string, readonly JobCommand[]])[] = [
    ['claimed', [claim({ now: at(600) })]],
    ['cancelled', [cancel()]],
    ['erased', [erase()]],
    ['superseded', [claim({ now: at(600), executedLater: { jobId: 'job-2' } })]],
    ['made ready again at once', [cancel(), requeue()]],
  ];
  for (const [how, commands] of leaving) {
    it(`has no row any more of a job that was ${how}`, () => {
      expect(due(enqueue({ dedup: deduplicated, notBefore: at(600) }), ...commands)).to.deep.equal([]);
    });
  }
});
