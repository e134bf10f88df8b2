import { expect } from 'chai';
import { hasLoneSurrogate } from '../../domain/bytes.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { statusTraceLog } from '../../projections/status-trace-log.js';
import {
  at,
  attemptId,
  cancel,
  claim,
  deduplicated,
  enqueue,
  erase,
  expire,
  fail,
  importRow,
  refuse,
  release,
  requeue,
  retry,
  runner,
  start,
  succeed,
  suppress,
} from '../support/given-commands.js';
import { decidedAt, eventUuid, jobUuid, rowsAfter, streamOf } from '../support/given-rows.js';
import { after } from '../support/job-specification.js';

const rows = (...commands: readonly JobCommand[]) => rowsAfter(statusTraceLog, streamOf(after(...commands)));
const states = (...commands: readonly JobCommand[]) => rows(...commands).map(({ state }) => state);
const last = (...commands: readonly JobCommand[]) => rows(...commands).at(-1);

const begun = [enqueue(), claim(), start()];
const unassigned = `refreshLinks@-@0@-@NORMAL_TRIGGER@-@unassigned@-@${jobUuid(1)}`;
const firstTask = `refreshLinks@-@0@-@NORMAL_TRIGGER@-@10.0.0.1@-@host-1-4711-${attemptId(1)}`;
const second = { token: 'token-2', now: at(60) };
const again = [claim(second), start({ ...second, attemptId: attemptId(2) })];

describe('the table job_status_trace_log', () => {
  it('has a row of the enqueue that nobody is assigned to', () => {
    expect(rows(enqueue())).to.deep.equal([
      {
        id: eventUuid(1, 0),
        job_name: 'refreshLinks',
        original_task_id: '',
        task_id: unassigned,
        slave_id: 'unassigned',
        execution_type: 'NORMAL_TRIGGER',
        sharding_item: '0',
        state: 'TASK_STAGING',
        message: 'enqueued',
        creation_time: decidedAt(0),
        source: 'LITE_EXECUTOR',
      },
    ]);
  });

  const staging = 'TASK_STAGING';
  const running = 'TASK_RUNNING';
  const once = enqueue({ retry: { ...retry, maxAttempts: 1 } });
  const heldThere = { token: 'b'.repeat(32), claimedAt: at(-60), leaseExpiresAt: at(60) };
  const told: readonly (readonly [string, readonly JobCommand[], readonly string[]])[] = [
    ['success', [...begun, succeed()], [staging, running, 'TASK_FINISHED']],
    ['failure that is tried again', [...begun, fail()], [staging, running, 'TASK_FAILED', staging]],
    ['failure for good', [...begun, fail({ isRetryable: false })], [staging, running, 'TASK_ERROR']],
    ['lost lease', [...begun, expire()], [staging, running, 'TASK_LOST', staging]],
    [
      'lease lost at the limit',
      [once, claim(), start(), expire()],
      [staging, running, 'TASK_LOST', 'TASK_ERROR'],
    ],
    ['claim lost before it began', [enqueue(), claim(), expire()], [staging, 'TASK_LOST', staging]],
    ['refusal of the params', [enqueue(), claim(), refuse()], [staging, 'TASK_ERROR']],
    ['claim given back', [enqueue(), claim(), release()], [staging, staging]],
    ['interruption', [...begun, release()], [staging, running, staging]],
    ['cancellation', [...begun, cancel()], [staging, running, 'TASK_KILLED']],
    ['making ready again', [enqueue(), cancel(), requeue()], [staging, 'TASK_KILLED', staging]],
    ['erasure of a waiting job', [enqueue(), erase()], [staging, 'TASK_KILLED']],
    ['erasure behind the end', [...begun, succeed(), erase()], [staging, running, 'TASK_FINISHED']],
    [
      'supersession',
      [enqueue({ dedup: deduplicated }), claim({ executedLater: { jobId: 'job-2' } })],
      [staging, 'TASK_FINISHED'],
    ],
    ['suppression of a duplicate', [enqueue(), suppress()], [staging]],
    [
      'imported row that was abandoned there',
      [importRow({ attempts: 3 }, { claim: heldThere, isAbandoned: true })],
      [staging, 'TASK_ERROR'],
    ],
  ];
  for (const [what, commands, expected] of told) {
    it(`tells of a ${what} in the states of ElasticJob`, () => {
      expect(states(...commands)).to.deep.equal(expected);
    });
  }

  it('says that a finished job was superseded, and by which', () => {
    const commands = [enqueue({ dedup: deduplicated }), claim({ executedLater: { jobId: 'job-2' } })];
    expect(last(...commands)).to.include({
      message: 'superseded (executed-later) by job job-2',
      task_id: unassigned,
    });
  });

  it('says why, in each message', () => {
    const messages = rows(...begun, fail(), ...again, release({ token: 'token-2' }), cancel(), requeue()).map(
      ({ message }) => message,
    );
    expect(messages).to.deep.equal([
      'enqueued',
      'attempt 1',
      'Error: no such page',
      `to be tried again at ${at(14)}: attempt 1 of 3 failed`,
      'attempt 2',
      'given back: the runner stops',
      'cancelled: not wanted any more',
      'made ready again: the page is back',
    ]);
    expect(last(...begun, expire())?.['message']).to.match(/the lease was lost$/);
    expect(last(enqueue(), claim(), refuse())?.['message']).to.equal(
      'abandoned: not-retryable: ParamsRefused: params.pages is missing',
    );
    expect(rows(enqueue(), claim(), expire())[1]?.['message']).to.equal(
      'the lease of runner runner-1 was lost',
    );
  });

  it('names the task of the attempt, and what is in its name', () => {
    expect(last(...begun)).to.include({
      task_id: firstTask,
      slave_id: '10.0.0.1',
      execution_type: 'NORMAL_TRIGGER',
      sharding_item: '0',
    });
    expect(last(...begun, expire(), ...again)).to.include({ execution_type: 'FAILOVER' });
  });

  it('has the first task as the original of all later ones, and none on its own rows', () => {
    const originals = rows(...begun, fail(), ...again, fail({ token: 'token-2' })).map(
      ({ original_task_id }) => original_task_id,
    );
    // Enqueued, running, failed, staging; then the second attempt: running, failed, staging.
    expect(originals).to.deep.equal(['', '', '', '', firstTask, firstTask, firstTask]);
  });

  it('keeps the last task on the rows between two attempts', () => {
    expect(last(...begun, fail())).to.include({ state: staging, task_id: firstTask });
    expect(last(...begun, fail(), cancel())).to.include({ state: 'TASK_KILLED', task_id: firstTask });
  });

  it('names one and the same unassigned task of a sharded job on all rows before its first start', () => {
    const sharded = enqueue({ shardingItem: 3 });
    const name = `refreshLinks@-@3@-@NORMAL_TRIGGER@-@unassigned@-@${jobUuid(1)}`;
    const shown = rows(
      sharded,
      claim(),
      release(),
      claim(second),
      expire({ token: 'token-2', now: at(120) }),
    );
    expect(shown.map(({ task_id, sharding_item }) => [task_id, sharding_item])).to.deep.equal(
      Array.from({ length: 4 }, () => [name, '3']),
    );
    expect(last(sharded, cancel())).to.include({ task_id: name });
    expect(last(sharded, claim(), refuse())).to.include({ task_id: name });
  });

  it('shortens a message by characters to what its column holds, and marks it', () => {
    const row = last(
      ...begun,
      fail({ error: { name: 'Error', message: '漢😀'.repeat(2_000) }, isRetryable: false }),
    );
    const message = Array.from(String(row?.['message']));
    expect(message).to.have.lengthOf(2_000);
    expect(message.at(-1)).to.equal('…');
  });

  it('keeps a task id within 255 characters however long the instance is, and its attempt id whole', () => {
    const long = { ...runner, instance: '😀'.repeat(200) };
    const row = last(enqueue({ type: 'é'.repeat(30) }), claim({ runner: long }), start());
    const taskId = String(row?.['task_id']);
    expect(taskId.length).to.be.at.most(255);
    expect(taskId).to.match(new RegExp(`-${attemptId(1)}$`));
    expect(hasLoneSurrogate(taskId)).to.equal(false);
  });
});
