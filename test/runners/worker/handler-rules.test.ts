// What handlers can rely on: time limits, putting off, retry policies of type and job, and what their context gives them.
import { expect } from 'chai';
import { millisecondsBetween } from '../../../domain/instant.js';
import { defineJob, handlersOf, type JobDefinition } from '../../../runners/define-job.js';
import { commandLine } from '../cli/command-line.js';
import { NotRetryable, Snooze } from '../../../runners/handler-outcome.js';
import {
  column,
  enqueued,
  factsOf,
  isIn,
  stateOf,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { drained, workedOff, working } from '../../support/runners.js';
import { until } from '../../support/waiting.js';

const fixed = (firstMs: number) => ({ kind: 'fixed', firstMs, jitter: 0 }) as const;
const HOUR_MS = 3_600_000;

describe('the rules for handlers', () => {
  let ledger: TestLedger;
  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });

  const worked = (definition: JobDefinition, more: object = {}): Promise<string> =>
    workedOff(ledger, definition, more);

  /** How long the job waits behind its first failure. */
  const waitOf = async (id: string): Promise<number> => {
    const [failed] = await factsOf(ledger, id, 'AttemptFailed');
    const [scheduled] = await factsOf(ledger, id, 'RetryScheduled');
    return millisecondsBetween(failed?.completedAt ?? '', scheduled?.notBefore ?? '');
  };

  describe('a time limit', () => {
    it('fires the signal, and the attempt fails as AttemptTimedOut with what the handler threw as its cause', async () => {
      const reasons: string[] = [];
      const id = await worked({
        type: 'too slow',
        timeoutMs: 50,
        retry: { maxAttempts: 1 },
        run: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reasons.push(String(signal.reason));
              reject(new Error('interrupted while writing'));
            });
          }),
      });
      expect(reasons).to.deep.equal([
        'AttemptTimedOut: the attempt took longer than its time limit of 50 ms',
      ]);
      const [failed] = await factsOf(ledger, id, 'AttemptFailed');
      expect(failed?.error).to.include({ name: 'AttemptTimedOut' });
      expect(failed?.error.causes?.map(({ message }) => message)).to.deep.equal([
        'interrupted while writing',
      ]);
      expect(failed?.durationMs).to.be.within(50, 1_000);
    });

    it('fails an attempt whose handler only returns when its signal fires', async () => {
      const id = await worked({
        type: 'obedient',
        timeoutMs: 50,
        retry: { maxAttempts: 1 },
        run: (_, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve('half done'))),
      });
      expect((await typesOf(ledger, id)).slice(-2)).to.deep.equal(['AttemptFailed', 'JobAbandoned']);
    });

    it('fails an attempt whose handler does not heed its signal, and frees its slot', async () => {
      const errors: unknown[] = [];
      const [stuck = ''] = await enqueued(ledger, { type: 'deaf' });
      const next: string[] = [];
      const [behind = ''] = await enqueued(ledger, { type: 'behind it' });
      await drained(
        ledger,
        [
          {
            type: 'deaf',
            timeoutMs: 50,
            retry: { maxAttempts: 1 },
            run: () => new Promise(() => undefined),
            tearDown: (_, error) => void errors.push(error),
          },
          { type: 'behind it', run: ({ id }) => void next.push(id) },
        ],
        { concurrency: 1 },
      );
      expect(next).to.deep.equal([behind]);
      expect(errors.map(String)).to.deep.equal([
        'AttemptTimedOut: the attempt took longer than its time limit of 50 ms',
      ]);
      expect(await isIn(ledger, 'Abandoned', stuck)).to.equal(true);
    });

    it('is retried like any failure', async () => {
      let calls = 0;
      const [id = ''] = await enqueued(ledger, { type: 'slow once' });
      const run = (): unknown => (++calls === 1 ? new Promise(() => undefined) : 'done');
      const { done, stop } = working(ledger, [
        { type: 'slow once', timeoutMs: 50, retry: { backoff: fixed(10) }, run },
      ]);
      await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
      stop();
      expect(await done).to.include({ succeeded: 1, failed: 1 });
    });

    it('leaves alone what is done in time', async () => {
      const id = await worked({ type: 'in time', timeoutMs: 60_000, run: () => 'done' });
      expect(await isIn(ledger, 'Succeeded', id)).to.equal(true);
    });
  });

  describe('a snooze', () => {
    const shapes: readonly (readonly [string, () => unknown])[] = [
      ['returned', () => new Snooze(HOUR_MS, 'the wiki is read-only')],
      ['promised', () => Promise.resolve(new Snooze(HOUR_MS, 'the wiki is read-only'))],
      [
        'thrown',
        () => {
          throw new Snooze(HOUR_MS, 'the wiki is read-only');
        },
      ],
    ];
    for (const [how, run] of shapes) {
      it(`${how} puts the job off, and is no failure and no attempt`, async () => {
        const tornDown: unknown[] = [];
        const tearDown = (_: unknown, error: unknown): void => void tornDown.push(error);
        const [id = ''] = await enqueued(ledger, { type: how });
        expect(await drained(ledger, [{ type: how, run, tearDown }])).to.include({ snoozed: 1, failed: 0 });
        expect(await typesOf(ledger, id)).to.deep.equal([
          'JobEnqueued',
          'JobClaimed',
          'AttemptStarted',
          'JobReleased',
        ]);
        const [released] = await factsOf(ledger, id, 'JobReleased');
        expect(released).to.include({ why: 'the wiki is read-only', claims: 0 });
        const wait = millisecondsBetween(released?.completedAt ?? '', released?.notBefore ?? '');
        expect(wait).to.equal(HOUR_MS);
        expect(tornDown).to.have.lengthOf(1);
        const state = await stateOf(ledger, id);
        expect(state._tag === 'Waiting' && state.job.attempts).to.equal(0);
        expect(await unequalTables(ledger)).to.deep.equal([]);
        const [row] = await column(
          ledger,
          `SELECT job_attempts::text || ' ' || (job_release_timestamp > now())::text FROM __schema__.job WHERE job_uuid = $1`,
          id,
        );
        expect(row).to.equal('0 true');
      });
    }

    it('can be repeated more often than there are attempts, and the job then succeeds at its first', async () => {
      let calls = 0;
      const attempts: number[] = [];
      const [id = ''] = await enqueued(ledger, { type: 'patient', maxAttempts: 2 });
      const run = ({ attempt }: { attempt: number }): unknown => {
        attempts.push(attempt);
        calls += 1;
        return calls <= 4 ? new Snooze(1) : 'done';
      };
      const { done, stop } = working(ledger, [{ type: 'patient', run }]);
      await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
      stop();
      expect(await done).to.include({ succeeded: 1, snoozed: 4, failed: 0 });
      expect(attempts).to.deep.equal([1, 1, 1, 1, 1]);
    });

    it('of a time that is none is refused where it is made', () => {
      for (const milliseconds of [-1, NaN, Infinity])
        expect(() => new Snooze(milliseconds)).to.throw(RangeError);
    });

    it('is told as such in the status trace and the execution log', async () => {
      const id = await worked({ type: 'traced', run: () => new Snooze(HOUR_MS, 'not before noon') });
      expect(await unequalTables(ledger)).to.deep.equal([]);
      const messages = await column(
        ledger,
        `SELECT message FROM __schema__.job_status_trace_log WHERE job_name = 'traced' AND state = 'TASK_STAGING' ORDER BY creation_time`,
      );
      const [released] = await factsOf(ledger, id, 'JobReleased');
      expect(messages.at(-1)).to.equal(`put off until ${released?.notBefore}: not before noon`);
      const causes = await column(
        ledger,
        `SELECT is_success || ': ' || failure_cause FROM __schema__.job_execution_log WHERE job_name = 'traced'`,
      );
      const executions = await commandLine({ JOBLEDGER_DATABASE_URL: ledger.url })(
        'executions',
        '--job-name',
        'traced',
      );
      expect(executions.stdout).to.match(/ put off +[0-9a-f-]{36} +put off until .*: not before noon\n$/);
      expect(causes).to.deep.equal([`true: put off until ${released?.notBefore}: not before noon`]);
    });
  });

  describe('the retry policy', () => {
    const failing = (): false => false;

    it('of a type takes a fixed back-off', async () => {
      const id = await worked({ type: 'fixed', retry: { backoff: fixed(90_000) }, run: failing });
      expect(await waitOf(id)).to.equal(90_000);
    });

    it('of a type takes an exponential back-off up to its cap, with its jitter', async () => {
      const backoff = { kind: 'exponential', firstMs: 90_000, capMs: 60_000, jitter: 0.5 } as const;
      const id = await worked({ type: 'exponential', retry: { backoff }, run: failing });
      expect(await waitOf(id)).to.be.within(30_000, 90_000);
    });

    it('of a type takes a function, which is told of the attempt and its error', async () => {
      const told: unknown[] = [];
      const id = await worked({
        type: 'custom',
        retry: {
          backoff: ({ attempt, error }) => {
            told.push(attempt, String(error));
            return 123_456;
          },
        },
        run: () => {
          throw new Error('too many requests');
        },
      });
      expect(told).to.deep.equal([1, 'Error: too many requests']);
      expect(await waitOf(id)).to.equal(123_456);
    });

    it('is not asked of a function where nothing comes behind the attempt', async () => {
      const told: unknown[] = [];
      const backoff = ({ attempt }: { readonly attempt: number }) => told.push(attempt);
      await worked({ type: 'last attempt', retry: { maxAttempts: 1, backoff }, run: failing });
      const run = (): never => {
        throw new NotRetryable('no use');
      };
      await worked({ type: 'no further attempt', retry: { backoff }, run });
      expect(told).to.deep.equal([]);
    });

    it('falls back on the default back-off where that function fails or gives no time', async () => {
      const backoffs: readonly (() => number)[] = [
        () => Number.NaN,
        () => -1,
        () => {
          throw new Error('no idea');
        },
      ];
      for (const [n, backoff] of backoffs.entries()) {
        const id = await worked({ type: `badly custom ${n}`, retry: { backoff }, run: failing });
        expect(await waitOf(id)).to.be.within(800, 1_200);
      }
    });

    it('of a job goes before that of its type', async () => {
      const retry = { maxAttempts: 9, backoff: fixed(5_000) };
      const id = await worked(
        { type: 'own policy', retry, run: failing },
        { maxAttempts: 2, backoff: fixed(70_000) },
      );
      expect(await waitOf(id)).to.equal(70_000);
      const state = await stateOf(ledger, id);
      expect(state._tag !== 'None' && state.job.retry.maxAttempts).to.equal(2);
    });

    it('of a job goes before the function of its type', async () => {
      const id = await worked(
        { type: 'own back-off', retry: { backoff: () => 1 }, run: failing },
        { backoff: fixed(70_000) },
      );
      expect(await waitOf(id)).to.equal(70_000);
    });

    it('allowRetries: false allows one attempt, whatever the job says', async () => {
      const id = await worked({ type: 'only once', allowRetries: false, run: failing }, { maxAttempts: 9 });
      expect(await stateOf(ledger, id)).to.include({ _tag: 'Abandoned', reason: 'attempts-exhausted' });
      expect(await factsOf(ledger, id, 'AttemptStarted')).to.have.lengthOf(1);
    });

    it('is refused, with its member named, where it could not be kept', async () => {
      const answer = await ledger.producer.enqueue({ type: 'x', backoff: { firstMs: -1 } });
      expect(answer).to.deep.include({ _tag: 'Left' });
      expect(JSON.stringify(answer)).to.include('firstMs');
      const run = (): void => undefined;
      expect(() => defineJob({ type: 'x', timeoutMs: 0, run })).to.throw('timeoutMs');
      expect(() => defineJob({ type: 'x', retry: { maxAttempts: 0, backoff: () => 1 }, run })).to.throw(
        'retry.maxAttempts',
      );
      expect(handlersOf([{ type: 'x', timeoutMs: -5, run }])).to.deep.include({ _tag: 'Left' });
    });
  });

  describe('context.ledger', () => {
    it('enqueues, looks up and cancels while the handler runs, whatever becomes of its attempt', async () => {
      let other = '';
      const seen: unknown[] = [];
      await worked({
        type: 'self-helping',
        retry: false,
        run: async (_, context) => {
          const { promises } = context.ledger;
          other = (await promises.enqueue({ type: 'for later', params: { from: context.taskId } })).jobId;
          seen.push((await promises.job(other))._tag);
          await promises.cancel(other, { reason: 'not after all' });
          seen.push((await promises.job(other))._tag);
          return false;
        },
      });
      expect(seen).to.deep.equal(['Waiting', 'Cancelled']);
      expect(await isIn(ledger, 'Cancelled', other)).to.equal(true);
    });
  });
});
