// What programs ask that cannot be: refused in a sentence, and nothing written. JavaScript lets through what the types refuse.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { defineJob, promises, type Ledger } from '../../../runners/index.js';
import { sentenceOf, type TaggedError } from '../../../runners/library/error-sentences.js';
import { everyEvent, testLedger, type TestLedger } from '../../support/ledger.js';

describe('what a program asks of a ledger', () => {
  let site: TestLedger;
  let ledger: Ledger;
  before(async () => {
    site = await testLedger();
    ledger = await promises.openLedger({ databaseUrl: site.url, schema: site.schema });
  });
  after(async () => {
    await ledger.close();
    await site.drop();
  });

  const askedWith = (
    name: 'pauseQueue' | 'resumeQueue' | 'configureQueue' | 'retryAbandoned',
    request: unknown,
  ) => Reflect.apply(ledger[name], undefined, [request])() as Promise<E.Either<TaggedError, unknown>>;

  for (const [name, request, sentence] of [
    ['configureQueue', { type: 'a', running: '3' }, 'running is not a whole number from 1 to 1000000'],
    ['configureQueue', { type: 'a', weight: '3' }, 'weight is not a whole number from 1 to 1000'],
    ['configureQueue', { type: 'a', perSecond: [] }, 'perSecond is not a number from 0.001 to 1000000'],
    ['configureQueue', { type: 'a', class: 'urgent' }, 'class is not high, normal or low'],
    ['configureQueue', { type: 'a', order: 'lifo' }, 'order is not fifo, timestamp or random'],
    [
      'configureQueue',
      { type: 'a', runing: 3 },
      'configureQueue: unknown member "runing"; did you mean "running"?',
    ],
    ['pauseQueue', { typ: 'a', why: 'x' }, 'pauseQueue: unknown member "typ"; did you mean "type"?'],
    ['pauseQueue', { type: 'a' }, 'pauseQueue: why is missing'],
    ['pauseQueue', { type: 5, why: 'x' }, 'pauseQueue: type is not a text'],
    ['pauseQueue', null, 'pauseQueue: it takes an object, with the members wiki, type, by, why'],
    ['resumeQueue', { wikki: 'a', why: 'x' }, 'resumeQueue: unknown member "wikki"; did you mean "wiki"?'],
    ['retryAbandoned', { typ: 'a' }, 'retryAbandoned: unknown member "typ"; did you mean "type"?'],
    ['retryAbandoned', { type: 'a', limit: -1 }, 'retryAbandoned: limit is not a whole number from 1'],
    [
      'retryAbandoned',
      undefined,
      'retryAbandoned: it takes an object, with the members wiki, type, limit, reason, by',
    ],
  ] as const) {
    it(`is refused: ${name}(${JSON.stringify(request)})`, async () => {
      const before = (await everyEvent(site)).length;
      const answer = await askedWith(name, request);
      expect(E.isLeft(answer) ? sentenceOf(answer.left) : 'taken').to.equal(sentence);
      expect(await everyEvent(site)).to.have.length(before);
    });
  }

  for (const [request, sentence] of [
    [{ handlers: [], concurrency: 0 }, 'work: concurrency is not a whole number from 1'],
    [{ handlers: [], concurency: 5 }, 'work: unknown member "concurency"; did you mean "concurrency"?'],
    [{ handlers: [], types: 'a' }, 'work: types is not a list of texts'],
    [{ handlers: 5 }, 'work: handlers is not an array of handlers'],
    [{}, 'work: handlers is missing'],
    [{ handlers: [{ type: 'a' }] }, 'work: handler 0 has no type and run(job, context)'],
  ] as const) {
    it(`is refused: work(${JSON.stringify(request)})`, () => {
      expect(() => Reflect.apply(ledger.work, undefined, [request])).to.throw(TypeError, sentence);
    });
  }

  it('is the default where it is undefined, as variables of the environment are that nobody has set', async () => {
    const unset = process.env['JOBLEDGER_TEST_THAT_NOBODY_SETS'];
    const other = await promises.openLedger({
      databaseUrl: site.url,
      schema: site.schema,
      home: unset,
      eventstoreUrl: unset,
      ledger: unset,
      by: unset,
      report: undefined,
    });
    const handler = defineJob({
      type: 'unsaid',
      params: undefined,
      ignoreDuplicates: undefined,
      retry: undefined,
      allowRetries: undefined,
      timeoutMs: undefined,
      run: (_, { log }) => log('told to nobody'),
      tearDown: undefined,
    });
    await other.promises.enqueue({ type: 'unsaid' });
    const work = other.work({ handlers: [handler], drain: true, log: undefined });
    expect(await work.done).to.deep.include({ succeeded: 1 });
    await other.close();
  });
});
