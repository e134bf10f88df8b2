// One rule for names: types, wikis and titles are data, never identifiers, and streams cannot be mistaken for each other.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { Type } from 'io-ts';
import { firstFlaw } from '../../domain/decoding.js';
import { JobType, Title, titleFlaw, typeFlaw, Wiki, wikiFlaw } from '../../domain/job/names.js';
import { taskParts, unassignedTaskId } from '../../domain/job/task-id.js';
import { jobIdOf, jobStream } from '../../domain/ledger.js';
import { queueSummary } from '../../projections/queue-summary.js';
import { statusTraceLog } from '../../projections/status-trace-log.js';
import { claim, enqueue, start } from '../support/given-commands.js';
import { jobUuid, rowsAfter, streamOf, tablesOf } from '../support/given-rows.js';
import { after } from '../support/job-specification.js';

const accepted = [
  'a-b',
  'a--b',
  '$all',
  '$ce-job',
  'job-1',
  'a/b',
  'a:b',
  'a b',
  'a#b',
  '🙂',
  '.',
  '..',
  '%',
  '%s',
  '__proto__',
  'constructor',
  "x'; DROP TABLE job; --",
  '"; SELECT 1; --',
  'a@b',
  'a@',
  '-@',
  '-',
  'x'.repeat(60),
  'é'.repeat(30),
  '🙂'.repeat(15),
];

const refused: readonly (readonly [type: string, flaw: string])[] = [
  ['', 'is empty'],
  ['x'.repeat(61), 'has 61 bytes, at most 60 are allowed'],
  ['é'.repeat(31), 'has 62 bytes, at most 60 are allowed'],
  ['a\n', 'holds a control character'],
  ['a\u0000b', 'holds a control character'],
  ['a\tb', 'holds a control character'],
  ['\u007f', 'holds a control character'],
  ['a\ud800', 'holds half a surrogate pair'],
  ['a@-@b', 'holds "@-@", which separates the parts of a task id, or ends in its beginning'],
  ['a@-', 'holds "@-@", which separates the parts of a task id, or ends in its beginning'],
];

const flawAt = (codec: Type<string, string, unknown>, value: unknown): string | undefined => {
  const decoded = codec.decode(value);
  return E.isLeft(decoded) ? firstFlaw(decoded.left) : undefined;
};

describe('field case 19: names with odd characters', () => {
  for (const type of accepted) {
    it(`accepts ${JSON.stringify(type)} as a type, and carries it unchanged into the tables`, () => {
      expect(typeFlaw(type)).to.equal(undefined);
      expect(flawAt(JobType, type)).to.equal(undefined);
      const events = streamOf(after(enqueue({ type, wiki: type }), claim(), start()));
      expect(rowsAfter(queueSummary, events)).to.deep.equal([{ wiki: type, type, enqueued: 1, claimed: 1 }]);
      expect(rowsAfter(statusTraceLog, events).map(({ job_name }) => job_name)).to.deep.equal([type, type]);
    });
  }

  for (const [type, flaw] of refused) {
    it(`refuses ${JSON.stringify(type)} as a type`, () => {
      expect(typeFlaw(type)).to.equal(flaw);
      expect(flawAt(JobType, type)).to.equal(`type ${flaw}`);
    });
  }

  it('has the same rule for a wiki within 64 bytes, and for a title within 255, which may be empty', () => {
    for (const type of accepted) expect(wikiFlaw(type) ?? titleFlaw(type)).to.equal(undefined);
    expect(wikiFlaw('x'.repeat(65))).to.equal('has 65 bytes, at most 64 are allowed');
    expect(wikiFlaw('')).to.equal('is empty');
    expect(titleFlaw('')).to.equal(undefined);
    expect(titleFlaw('é'.repeat(127))).to.equal(undefined);
    expect(titleFlaw('é'.repeat(128))).to.equal('has 256 bytes, at most 255 are allowed');
    expect(flawAt(Wiki, 'a\n')).to.equal('wiki holds a control character');
    expect(flawAt(Title, 7)).to.equal('title is not a text');
  });

  it('keeps queues apart whose names run together', () => {
    const events = [
      ...streamOf(after(enqueue({ wiki: 'a', type: 'b-c' })), 1),
      ...streamOf(after(enqueue({ wiki: 'a-b', type: 'c' })), 2),
    ];
    expect(tablesOf(queueSummary, events).get('queue_summary')?.size).to.equal(2);
  });

  it('reads the parts of a task id back, whatever the type', () => {
    for (const type of accepted) {
      expect(taskParts(unassignedTaskId(type, 3, jobUuid(1)))).to.deep.equal({
        type,
        items: '3',
        source: 'NORMAL_TRIGGER',
        ip: 'unassigned',
      });
    }
  });

  it('takes only job- and a UUID for the stream of a job', () => {
    expect(jobIdOf(jobStream(jobUuid(1)))).to.equal(jobUuid(1));
    const id = jobUuid(1);
    const others = ['job-1', 'job-', 'job', '$all', '$ce-job', 'ledger', `queue-${id}`].concat([
      `job-${id}-2`,
      `job--${id}`,
      `job-${id}\n`,
      `xjob-${id}`,
      `job-${id.toUpperCase()}`,
      'JOB-1',
    ]);
    for (const stream of others) expect(jobIdOf(stream), stream).to.equal(undefined);
  });
});
