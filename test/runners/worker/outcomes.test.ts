// What becomes of an attempt: success, failure, refusal, and the tear-down behind each.
import { expect } from 'chai';
import * as t from 'io-ts';
import { millisecondsBetween } from '../../../domain/instant.js';
import { defineJob, type JobDefinition } from '../../../runners/define-job.js';
import { NotRetryable } from '../../../runners/handler-outcome.js';
import { onEachStore } from '../../support/each-store.js';
import {
  column,
  enqueued,
  factsOf,
  historyOf,
  isIn,
  stateOf,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { drained, workedOff, working } from '../../support/runners.js';
import { until } from '../../support/waiting.js';

const SUCCESS = ['JobEnqueued', 'JobClaimed', 'AttemptStarted', 'AttemptSucceeded'];
const patient = { backoff: { firstMs: 60_000, jitter: 0 } } as const;

onEachStore('what becomes of an attempt', (openLedger) => {
  let ledger: TestLedger;

  before(async () => {
    ledger = await openLedger();
  });
  after(() => ledger.drop());
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });

  const worked = (definition: JobDefinition, more: object = {}): Promise<string> =>
    workedOff(ledger, definition, more);

  it('is a success with what the handler was given and has returned', async () => {
    const given: unknown[] = [];
    const type = 'plain';
    const id = await worked(
      {
        type,
        run: (job, { attempt, taskId, signal }) => {
          given.push(job, attempt, signal.aborted, taskId);
          return { pages: 3 };
        },
      },
      { wiki: 'enwiki', namespace: 4, title: 'A page', params: { a: [1] }, priority: 7 },
    );
    expect(await typesOf(ledger, id)).to.deep.equal(SUCCESS);
    const [succeeded] = await factsOf(ledger, id, 'AttemptSucceeded');
    expect(succeeded?.result).to.deep.equal({ pages: 3 });
    const [started] = await factsOf(ledger, id, 'AttemptStarted');
    expect(given.slice(1)).to.deep.equal([1, false, started?.taskId]);
    const [enqueuedFacts] = await factsOf(ledger, id, 'JobEnqueued');
    expect(given[0]).to.deep.equal({
      id,
      wiki: 'enwiki',
      type,
      namespace: 4,
      title: 'A page',
      params: { a: [1] },
      attempt: 1,
      priority: 7,
      root: undefined,
      enqueuedAt: enqueuedFacts?.enqueuedAt,
    });
  });

  it('is a failure with a retry after its back-off, then a success', async () => {
    const at: number[] = [];
    const [id = ''] = await enqueued(ledger, { type: 'flaky' });
    const { done, stop } = working(ledger, [
      {
        type: 'flaky',
        retry: { backoff: { firstMs: 300, jitter: 0 } },
        run: ({ attempt }) => {
          at.push(performance.now());
          if (attempt < 3) throw new RangeError(`try ${attempt}`, { cause: new Error('deeper') });
        },
      },
    ]);
    await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
    stop();
    expect(await done).to.include({ succeeded: 1, failed: 2 });
    const failures = await factsOf(ledger, id, 'AttemptFailed');
    expect(
      failures.map(({ error }) => [error.name, error.message, error.causes?.[0]?.message]),
    ).to.deep.equal([
      ['RangeError', 'try 1', 'deeper'],
      ['RangeError', 'try 2', 'deeper'],
    ]);
    const waits = (await factsOf(ledger, id, 'RetryScheduled')).map(({ notBefore }, n) =>
      millisecondsBetween(failures[n]?.completedAt ?? '', notBefore),
    );
    expect(waits).to.deep.equal([300, 600]);
    expect((at[1] ?? 0) - (at[0] ?? 0)).to.be.at.least(299);
    expect((at[2] ?? 0) - (at[1] ?? 0)).to.be.at.least(599);
  });

  for (const [what, run] of [
    ['returned false', () => false],
    ['a promise of false', () => Promise.resolve(false)],
    ['a rejected promise', () => Promise.reject(new Error('no'))],
  ] as const) {
    it(`is a failure where the handler gives ${what}`, async () => {
      const id = await worked({ type: what, retry: patient, run });
      expect((await typesOf(ledger, id)).slice(-2)).to.deep.equal(['AttemptFailed', 'RetryScheduled']);
      expect(await isIn(ledger, 'Waiting', id)).to.equal(true);
    });
  }

  it('is abandoned at the limit, with the number of attempts', async () => {
    const id = await worked({ type: 'hopeless', retry: { maxAttempts: 1 }, run: () => false });
    expect((await typesOf(ledger, id)).slice(-2)).to.deep.equal(['AttemptFailed', 'JobAbandoned']);
    expect(await stateOf(ledger, id)).to.include({ _tag: 'Abandoned', reason: 'attempts-exhausted' });
  });

  it('is abandoned behind the first failure where the policy says no retries', async () => {
    const id = await worked({ type: 'once', retry: false, run: () => false }, { maxAttempts: 9 });
    expect(await stateOf(ledger, id)).to.include({ _tag: 'Abandoned', reason: 'attempts-exhausted' });
    expect(await factsOf(ledger, id, 'AttemptStarted')).to.have.lengthOf(1);
  });

  it('is abandoned behind the first failure where the handler says that none can help', async () => {
    const run = (): never => {
      throw new NotRetryable('the page is gone');
    };
    const id = await worked({ type: 'gone', run });
    expect(await stateOf(ledger, id)).to.include({ _tag: 'Abandoned', reason: 'not-retryable' });
    const [failed] = await factsOf(ledger, id, 'AttemptFailed');
    expect(failed).to.deep.include({ next: 'abandon' });
    expect(failed?.error).to.include({ name: 'NotRetryable', message: 'the page is gone' });
  });

  it('is a failure with a retry where what is thrown cannot even be asked', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const run = (): Promise<never> => Promise.reject(proxy as Error);
    const id = await worked({ type: 'hostile', retry: patient, run });
    expect((await typesOf(ledger, id)).slice(-2)).to.deep.equal(['AttemptFailed', 'RetryScheduled']);
  });

  it('is no attempt at all where the codec refuses the params: abandoned, with the path', async () => {
    const calls: string[] = [];
    const params = t.type({ page: t.type({ id: t.number }) });
    const [id = ''] = await enqueued(ledger, { type: 'strict', params: { page: { id: 'seven' } } });
    const strict = defineJob({
      type: 'strict',
      params,
      run: () => calls.push('run'),
      tearDown: () => calls.push('tear-down'),
    });
    expect(await drained(ledger, [strict])).to.include({ refused: 1, succeeded: 0 });
    expect(calls).to.deep.equal([]);
    expect(await typesOf(ledger, id)).to.deep.equal(['JobEnqueued', 'JobClaimed', 'JobAbandoned']);
    const [abandoned] = await factsOf(ledger, id, 'JobAbandoned');
    expect(abandoned).to.include({ reason: 'not-retryable', attempts: 0 });
    expect(abandoned?.error?.message).to.include('page.id');
  });

  it('is abandoned, and harms no other, where the codec throws', async () => {
    const params = {
      name: 'Throwing',
      validate: () => t.failures([]),
      decode: (): never => {
        throw new TypeError('not a URL');
      },
    };
    const [id = '', other = ''] = await enqueued(ledger, { type: 'throwing codec' }, { type: 'other' });
    const throwing = defineJob({ type: 'throwing codec', params, run: () => 1 });
    const summary = await drained(ledger, [throwing, { type: 'other', run: () => 1 }]);
    expect(summary).to.include({ refused: 1, succeeded: 1 });
    expect(await isIn(ledger, 'Succeeded', other)).to.equal(true);
    const [abandoned] = await factsOf(ledger, id, 'JobAbandoned');
    expect(abandoned?.error?.message).to.include('not a URL');
  });

  it('hands decoded params to the handler', async () => {
    const params = t.type({ page: t.number });
    const pages: number[] = [];
    await enqueued(ledger, { type: 'decoded', params: { page: 7 } });
    const decoded = defineJob({
      type: 'decoded',
      params,
      run: ({ params: { page } }) => void pages.push(page),
    });
    await drained(ledger, [decoded]);
    expect(pages).to.deep.equal([7]);
  });

  describe('the tear-down', () => {
    const errors: unknown[] = [];
    const tearDown = (_: unknown, error: unknown): void => void errors.push(error);
    beforeEach(() => {
      errors.length = 0;
    });

    it('is called behind a success, without an error', async () => {
      await worked({ type: 'torn down', run: () => 1, tearDown });
      expect(errors).to.deep.equal([undefined]);
    });

    it('is called behind a failure, with the error', async () => {
      const thrown = new Error('first');
      const run = (): never => {
        throw thrown;
      };
      await worked({ type: 'torn down after all', retry: false, run, tearDown });
      expect(errors).to.deep.equal([thrown]);
    });

    it('is given an error that says so where the handler failed without one', async () => {
      const runs = [() => Promise.reject(), () => Promise.reject(null)];
      for (const [n, run] of runs.entries()) {
        const id = await worked({ type: `without an error ${n}`, retry: false, run, tearDown });
        expect(await isIn(ledger, 'Abandoned', id)).to.equal(true);
      }
      expect(errors.map(String)).to.deep.equal([
        'FailedWithoutError: the handler failed with undefined in place of an error',
        'FailedWithoutError: the handler failed with null in place of an error',
      ]);
    });

    it('is called once where it fails itself, which makes the attempt a failure', async () => {
      let calls = 0;
      const failing = (): never => {
        calls += 1;
        throw new Error('the tear-down failed');
      };
      const id = await worked({ type: 'badly torn down', retry: false, run: () => 1, tearDown: failing });
      expect(calls).to.equal(1);
      const [failed] = await factsOf(ledger, id, 'AttemptFailed');
      expect(failed?.error.message).to.equal('the tear-down failed');
    });

    it('does not hide the error of the handler by its own', async () => {
      const run = (): never => {
        throw new Error('the handler failed');
      };
      const failing = (): never => {
        throw new Error('the tear-down failed');
      };
      const id = await worked({ type: 'failing twice', retry: false, run, tearDown: failing });
      const [failed] = await factsOf(ledger, id, 'AttemptFailed');
      expect(failed?.error.message).to.equal('the handler failed');
    });
  });

  describe('a result that cannot be stored', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const results: readonly (readonly [what: string, value: unknown])[] = [
      ['a bigint', 5n],
      ['a function', () => 1],
      ['a cycle', cycle],
      ['a text with NUL', 'a\u0000b'],
      ['half a surrogate pair', { a: '\ud800', b: 'x\udc00y' }],
      ['a backslash before u0000', '\\u0000'],
      ['a very long text', 'x'.repeat(1_000_000)],
      ['nothing', undefined],
      ['a number that is none', NaN],
      [
        'an object whose toJSON throws',
        {
          toJSON: () => {
            throw new Error('not today');
          },
        },
      ],
    ];

    for (const [what, value] of results) {
      it(`is a success all the same: ${what}`, async () => {
        const id = await worked({ type: `returns ${what}`, run: () => value });
        expect(await typesOf(ledger, id)).to.deep.equal(SUCCESS);
        expect(await factsOf(ledger, id, 'AttemptSucceeded')).to.have.lengthOf(1);
        if (ledger.elsewhere !== undefined) return;
        const stored = await column(
          ledger,
          `SELECT (data::jsonb -> 'result')::text FROM __schema__.event WHERE stream = $1 AND type = 'AttemptSucceeded'`,
          `job-${id}`,
        );
        expect(stored).to.have.lengthOf(1);
      });
    }
  });

  it('tells who worked on it: every event of the attempt is by the runner of the claim', async () => {
    const id = await worked({ type: 'told', run: () => 1 });
    const [claim] = await factsOf(ledger, id, 'JobClaimed');
    const by = (await historyOf(ledger, id)).slice(1).map(({ metadata }) => metadata.by);
    expect(new Set(by)).to.deep.equal(new Set([claim?.runner.id]));
  });
});
