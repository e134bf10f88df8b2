// What the reading commands answer, in words and in JSON, on a ledger whose stories are known.
import { expect } from 'chai';
import { commandLine, jsonLines, type Said } from './command-line.js';
import { ids, toldLedger, type ToldLedger } from './told-ledger.js';

const UNKNOWN = '01890000-0000-7000-8000-00000000ffff';
const FIRST_ATTEMPT = 'a0000000-0000-4000-8000-000000000001';
const FIRST_TASK = `refreshLinks@-@0@-@NORMAL_TRIGGER@-@10.0.0.1@-@host-1-4711-${FIRST_ATTEMPT}`;

describe('the reading commands', () => {
  let told: ToldLedger;
  let jobledger: (...args: readonly string[]) => Promise<Said>;

  const answer = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await jobledger(...args);
    expect({ status, stderr }, args.join(' ')).to.deep.equal({ status: 0, stderr: '' });
    return stdout;
  };
  const json = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse(await answer(...args, '--json')) as unknown;
  const lines = async (...args: readonly string[]) => jsonLines(await answer(...args));

  before(async () => {
    told = await toldLedger();
    jobledger = commandLine({ JOBLEDGER_DATABASE_URL: told.url });
  });
  after(() => told.drop());

  describe('job', () => {
    it('answers with the members that others build on, and says what is not there', async () => {
      expect(await json('job', ids.waiting)).to.deep.include({
        jobId: ids.waiting,
        job_id: '3',
        wiki: 'enwiki',
        type: 'refreshLinks',
        namespace: null,
        title: null,
        params: { to: 'a@example.org' },
        state: 'Waiting',
        attempts: 0,
        revision: '0',
        requestId: 'request-3',
      });
      expect(await json('job', ids.superseded)).to.deep.include({
        state: 'Superseded',
        supersededBy: ids.failedTwice,
      });
    });

    it('finds jobs by number, those that are done too', async () => {
      expect(await json('job', '5')).to.deep.include({ jobId: ids.running, state: 'Running', attempts: 1 });
      expect(await json('job', '1')).to.deep.include({ jobId: ids.failedTwice, state: 'Succeeded' });
    });

    it('shows a job in lines', async () => {
      const shown = await answer('job', ids.failedTwice.toUpperCase());
      expect(shown).to.match(/^jobId +01890000-0000-7000-8000-000000000001$/m);
      expect(shown).to.match(/^title +Main_Page$/m);
      expect(shown).to.match(/^lastError +Error: no such page$/m);
    });

    it('says so where there is no such job, or no such kind of id', async () => {
      for (const id of [UNKNOWN, '99']) {
        expect(await jobledger('job', id)).to.deep.equal({
          status: 1,
          stdout: '',
          stderr: `jobledger: there is no job ${id} in this ledger\n`,
        });
      }
      for (const id of ['abc', '-7', '99999999999999999999', `${UNKNOWN}0`]) {
        const said = await jobledger('history', '--', id);
        expect(said.status, id).to.equal(2);
        expect(said.stderr).to.equal(
          `jobledger: "${id}" is neither the UUID of a job nor a job_id, which is a whole number\n`,
        );
      }
    });
  });

  describe('history', () => {
    it('gives every event as a line of JSON, with its address and its metadata', async () => {
      const events = await lines('history', ids.superseded, '--json');
      expect(events.map(({ type, revision }) => [revision, type])).to.deep.equal([
        ['0', 'JobEnqueued'],
        ['1', 'JobSuperseded'],
      ]);
      const [first] = events;
      expect(Object.keys(first ?? {})).to.deep.equal([
        'position',
        'stream',
        'revision',
        'id',
        'type',
        'data',
        'metadata',
      ]);
      expect(first?.['stream']).to.equal(`job-${ids.superseded}`);
      expect(first?.['position']).to.match(/^\d+$/);
      expect(first?.['metadata']).to.have.all.keys(
        'schemaVersion',
        'correlationId',
        'causationId',
        'by',
        'occurredAt',
        'recordedAt',
      );
    });

    it('tells them in a table', async () => {
      const [head, ...rows] = (await answer('history', ids.failedTwice)).trimEnd().split('\n');
      expect(head?.split(/ {2,}/)).to.deep.equal(['revision', 'time', 'event', 'by', 'what happened']);
      expect(rows).to.have.length(12);
      expect(rows[3]?.trim().split(/ {2,}/)).to.deep.equal([
        '3',
        '2026-03-01 04:01:42.000 UTC',
        'AttemptFailed',
        'runner-1',
        'Attempt 1 failed after 1 s: Error: no such page.',
      ]);
    });
  });

  describe('explain', () => {
    it('tells the story, how the job stands and what is next', async () => {
      const said = await answer('explain', ids.superseded);
      expect(said).to.equal(
        [
          `Job 2 (${ids.superseded}) is a "refreshLinks" job of the wiki "enwiki".`,
          '',
          '  2026-03-01 04:00:00.000 UTC  Enqueued by shop. Of equal jobs one run is enough.',
          `  2026-03-01 04:00:02.000 UTC  Dropped without a run (superseded, executed-later): the equal job ${ids.failedTwice} began after this one had been enqueued, and succeeded, so that its work is done.`,
          '',
          `It was dropped, since job ${ids.failedTwice} does its work.`,
          `"jobledger explain ${ids.failedTwice}" tells what became of that one.`,
          '',
        ].join('\n'),
      );
    });

    it('gives the same as one JSON document', async () => {
      const explanation = await json('explain', ids.delayed);
      expect(explanation).to.deep.include({ jobId: ids.delayed, job_id: '4', state: 'Waiting' });
      expect(explanation)
        .to.have.property('now')
        .that.includes('it becomes due at 2100-01-01 00:00:00.000 UTC');
      expect(explanation).to.have.nested.property('story[0].event', 'JobEnqueued');
    });
  });

  describe('queues', () => {
    it('counts each queue, tells delayed from ready, and dates the oldest ready job', async () => {
      const queues = await json('queues');
      expect(queues).to.have.length(2);
      expect(queues).to.have.nested.property('[0].lagSeconds').that.is.above(0);
      const counts = {
        wiki: 'enwiki',
        type: 'refreshLinks',
        ready: 1,
        delayed: 1,
        claimed: 0,
        abandoned: 0,
        succeeded: 1,
        failed: 2,
        suppressed: 0,
        superseded: 1,
        oldestReadyAt: '2026-03-01T04:00:00.000Z',
      };
      expect((queues as object[])[0]).to.deep.include(counts);
      expect((queues as object[])[1]).to.deep.include({
        type: 'sendMail',
        ready: 0,
        claimed: 1,
        oldestReadyAt: null,
        lagSeconds: 0,
      });
    });

    it('shows them as a table', async () => {
      const [head, first] = (await answer('queues')).split('\n');
      expect(head).to.match(/^wiki +type +ready +delayed +claimed +abandoned +succeeded +failed/);
      expect(first).to.match(/^enwiki +refreshLinks +1 +1 +0 +0 +1 +2 +0 +1 +\d+ d/);
    });
  });

  describe('executions and trace', () => {
    it('list attempts as the table has them, filtered as asked', async () => {
      const failed = await lines('executions', '--failed', '--json');
      expect(failed).to.have.length(2);
      expect(failed[0]).to.deep.equal({
        id: FIRST_ATTEMPT,
        job_name: 'refreshLinks',
        task_id: FIRST_TASK,
        hostname: 'host-1',
        ip: '10.0.0.1',
        sharding_item: 0,
        execution_source: 'NORMAL_TRIGGER',
        failure_cause: 'Error: no such page',
        is_success: false,
        start_time: '2026-03-01T04:01:41.000Z',
        complete_time: '2026-03-01T04:01:42.000Z',
      });
      const running = await lines('executions', '--job-name', 'sendMail', '--json');
      expect(running.map((row) => row['complete_time'])).to.deep.equal([null]);
      const late = await lines('executions', '--since', '2026-03-01T06:05:01+02:00', '--json');
      expect(late.map((row) => row['start_time'])).to.deep.equal([
        '2026-03-01T04:05:01.000Z',
        '2026-03-01T04:15:01.000Z',
      ]);
      const shown = await answer('executions');
      expect(shown)
        .to.match(/^started .* attempt id \(for trace\)/)
        .and.to.include(FIRST_ATTEMPT);
      expect(shown).to.match(/ 1 s +refreshLinks +NORMAL_TRIGGER +host-1 +failed /);
    });

    it('say on standard error that there is none', async () => {
      expect(await jobledger('executions', '--job-name', 'nobody', '--json')).to.deep.equal({
        status: 0,
        stdout: '',
        stderr: 'there is no such execution\n',
      });
    });

    it('show the states of a task, by its whole id or by that of the attempt', async () => {
      const byTask = await lines('trace', FIRST_TASK, '--json');
      expect(byTask.map(({ state }) => state)).to.deep.equal(['TASK_RUNNING', 'TASK_FAILED', 'TASK_STAGING']);
      expect(await lines('trace', FIRST_ATTEMPT, '--json')).to.deep.equal(byTask);
      expect(await answer('trace', FIRST_ATTEMPT)).to.match(/TASK_FAILED .*Error: no such page/);
      const said = await jobledger('trace', UNKNOWN);
      expect(said.status).to.equal(1);
      expect(said.stderr).to.match(/^jobledger: there is no task or attempt/);
    });
  });

  describe('replay', () => {
    const positions = async (...args: readonly string[]) =>
      (await lines('replay', ...args)).map(({ position }) => BigInt(String(position)));

    it('prints all events in order, and those of a stretch, a stream, or a type', async () => {
      const all = await positions();
      expect(all).to.have.length(19);
      expect(all).to.deep.equal(all.toSorted((a, b) => (a < b ? -1 : 1)));
      const [from = 0n, to = 0n] = [all[2], all[5]];
      expect(await positions('--from', String(from), '--to', String(to))).to.deep.equal(all.slice(2, 6));
      expect(await lines('replay', '--stream', `job-${ids.superseded}`)).to.have.length(2);
      const ended = await lines('replay', '--type', 'JobSuperseded', '--type', 'AttemptSucceeded');
      expect(ended.map(({ type }) => type)).to.have.members(['AttemptSucceeded', 'JobSuperseded']);
    });

    it('stops at a moment, by the time of recording', async () => {
      expect(await positions('--until', '2026-03-01T04:00:00Z')).to.have.length(5);
      const behind = await positions('--until', '2026-03-01T04:01:42Z');
      expect(behind).to.have.length(10);
    });

    it('knows which types there are', async () => {
      const said = await jobledger('replay', '--type', 'JobClaimd');
      expect(said.status).to.equal(2);
      expect(said.stderr).to.equal('jobledger: unknown event type "JobClaimd"; did you mean "JobClaimed"?\n');
    });
  });
});
