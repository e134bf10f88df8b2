import { expect } from 'chai';
import type { JobCommand } from '../../domain/job/commands.js';
import { executionLog } from '../../projections/execution-log.js';
import {
  at,
  attemptId,
  cancel,
  claim,
  enqueue,
  erase,
  expire,
  fail,
  otherRunner,
  release,
  runner,
  start,
  succeed,
} from '../support/given-commands.js';
import { decidedAt, rowsAfter, streamOf } from '../support/given-rows.js';
import { after } from '../support/job-specification.js';

const rows = (...commands: readonly JobCommand[]) => rowsAfter(executionLog, streamOf(after(...commands)));

const begun = [enqueue(), claim(), start()];

describe('the table job_execution_log', () => {
  it('has a row of an attempt from its start, all but cause and end filled in', () => {
    expect(rows(...begun)).to.deep.equal([
      {
        id: attemptId(1),
        job_name: 'refreshLinks',
        task_id: `refreshLinks@-@0@-@NORMAL_TRIGGER@-@10.0.0.1@-@host-1-4711-${attemptId(1)}`,
        hostname: 'host-1',
        ip: '10.0.0.1',
        sharding_item: 0,
        execution_source: 'NORMAL_TRIGGER',
        failure_cause: null,
        is_success: false,
        start_time: at(3),
        complete_time: null,
      },
    ]);
  });

  it('has none of a job that was not begun', () => {
    expect(rows(enqueue(), claim(), release())).to.deep.equal([]);
    expect(rows(enqueue(), claim(), expire())).to.deep.equal([]);
    expect(rows(enqueue(), cancel())).to.deep.equal([]);
    expect(rows(enqueue(), erase())).to.deep.equal([]);
  });

  // The component's own time stands where the event has none: events of `begun` have revisions 0, 1 and 2.
  const ends: readonly (readonly [string, JobCommand, boolean, string, string | null])[] = [
    ['success', succeed(), true, at(4), null],
    ['failure', fail(), false, at(4), 'Error: no such page'],
    ['loss of the lease', expire(), false, decidedAt(3), 'the lease of the runner was lost'],
    ['release', release({ now: at(9) }), false, at(9), 'interrupted: the runner stops'],
    ['cancellation', cancel(), false, decidedAt(3), 'cancelled: not wanted any more'],
    ['erasure', erase(), false, decidedAt(3), 'cancelled: erased'],
  ];
  for (const [end, command, isSuccess, complete_time, failure_cause] of ends) {
    it(`completes the row at the ${end} of the attempt`, () => {
      expect(rows(...begun, command)[0]).to.include({ is_success: isSuccess, complete_time, failure_cause });
    });
  }

  it('leaves a finished row as it is when the job is cancelled or erased later', () => {
    for (const command of [cancel(), erase()]) {
      expect(rows(...begun, fail(), command)[0]).to.include({ failure_cause: 'Error: no such page' });
    }
    expect(rows(...begun, succeed(), erase())[0]).to.include({ is_success: true, failure_cause: null });
  });

  it('has a row for each attempt, under the id of its own', () => {
    const second = { token: 'token-2', now: at(50) };
    const shown = rows(
      ...begun,
      expire(),
      claim({ ...second, runner: otherRunner }),
      start({ ...second, attemptId: attemptId(2) }),
      succeed(second),
    );
    expect(
      shown.map(({ id, hostname, execution_source, is_success }) => ({
        id,
        hostname,
        execution_source,
        is_success,
      })),
    ).to.deep.equal([
      { id: attemptId(1), hostname: 'host-1', execution_source: 'NORMAL_TRIGGER', is_success: false },
      { id: attemptId(2), hostname: 'host-2', execution_source: 'FAILOVER', is_success: true },
    ]);
  });

  it('shortens what is longer than its column by characters, not bytes, and marks it', () => {
    const host = '機'.repeat(300);
    const message = '😀'.repeat(3_000);
    const [row] = rows(
      enqueue(),
      claim({ runner: { ...runner, host } }),
      start(),
      fail({ error: { name: 'Error', message } }),
    );
    expect(row?.['hostname']).to.equal(`${'機'.repeat(254)}…`);
    const cause = Array.from(String(row?.['failure_cause']));
    expect(cause).to.have.lengthOf(2_000);
    expect(cause.slice(-2)).to.deep.equal(['😀', '…']);
  });

  it('leaves whole what just fits', () => {
    const message = '漢'.repeat(2_000 - 'Error: '.length);
    const [row] = rows(...begun, fail({ error: { name: 'Error', message } }));
    expect(row?.['failure_cause']).to.equal(`Error: ${message}`);
  });
});
