// Every door of the package, given what makes no sense there: each refuses in a sentence of its own, and none with an error of the engine's.
import { inspect } from 'node:util';
import { expect } from 'chai';
import * as face from '../../../runners/index.js';
import { sentenceOf, type TaggedError } from '../../../runners/library/error-sentences.js';
import { everyEvent, testLedger, type TestLedger } from '../../support/ledger.js';

/** What nothing takes, and what a text, an object, a list or a function is mistaken for. */
const NONSENSE = [null, 5, '', Symbol('s'), 5n, Number.NaN, true, [], [null], {}, { a: 1 }, () => 1] as const;

/** As the engine, the driver or the server would say it. */
const RAW =
  /Cannot (read|convert|destructure|use)|is not (a function|iterable|defined)|undefined|must be of type|invalid byte/;

type Call = (...args: readonly unknown[]) => unknown;
/** JavaScript's view of a function. */
const untyped =
  (call: unknown): Call =>
  (...args) =>
    Reflect.apply(call as Call, undefined, args) as unknown;

const isLeft = (value: unknown): value is { readonly left: TaggedError } =>
  typeof value === 'object' && value !== null && Reflect.get(value, '_tag') === 'Left';

/** What the call says, as a sentence; undefined where it takes what it was given. */
const saidBy = async (call: Call, ...args: readonly unknown[]): Promise<string | undefined> => {
  try {
    let answer: unknown = call(...args);
    if (typeof answer === 'function') answer = untyped(answer)();
    answer = await answer;
    const first: unknown = Array.isArray(answer) ? answer[0] : answer;
    return isLeft(first) ? sentenceOf(first.left) : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const ID = '0198c7a2-7d3e-7c1a-9f4e-2b5d8a6c1e00';
const run = (): void => undefined;

describe('what makes no sense', () => {
  let site: TestLedger;
  let ledger: face.Ledger;
  before(async () => {
    site = await testLedger();
    ledger = await face.promises.openLedger({ databaseUrl: site.url, schema: site.schema });
  });
  after(async () => {
    await ledger.close();
    await site.drop();
  });

  const factory = () => face.promises.jobQueueGroupFactory({ ledgers: { default: ledger } });
  const withMember =
    (call: unknown, given: object, member: string): Call =>
    (value) =>
      untyped(call)({ ...given, [member]: value });

  const open = (): object => ({ databaseUrl: site.url });
  const lazily = (member: string): Call =>
    withMember(
      (lazy: object) => untyped(face.jobQueueGroupFactory)({ ledgers: { default: ledger }, lazy }),
      {},
      member,
    );
  const policies: Call = (typeConf) =>
    untyped(face.jobQueueGroupFactory)({ ledgers: { default: ledger }, typeConf });

  /** Each door, and how many of the above make sense there. */
  const DOORS: readonly (readonly [name: string, call: () => Call, taken?: readonly unknown[]])[] = [
    ['openLedger', () => untyped(face.openLedger), [NONSENSE[9]]],
    ...['databaseUrl', 'eventstoreUrl', 'ledger', 'home', 'schema', 'by'].map(
      (member) => [`openLedger.${member}`, () => withMember(face.openLedger, open(), member)] as const,
    ),
    ['openLedger.report', () => withMember(face.openLedger, open(), 'report'), [NONSENSE[11]]],
    ['enqueue', () => untyped(ledger.enqueue)],
    ['enqueueAll', () => untyped(ledger.enqueueAll), [NONSENSE[7]]],
    ['job', () => untyped(ledger.job)],
    ['history', () => untyped(ledger.history)],
    ...(['retry', 'cancel', 'release'] as const).flatMap((name) => [
      [name, () => untyped(ledger[name])] as const,
      [`${name} with options`, () => (options: unknown) => untyped(ledger[name])(ID, options)] as const,
      [`${name} with a reason`, () => (reason: unknown) => untyped(ledger[name])(ID, { reason })] as const,
    ]),
    ['retryAbandoned', () => untyped(ledger.retryAbandoned), [NONSENSE[9]]],
    ['pauseQueue', () => untyped(ledger.pauseQueue)],
    ['resumeQueue', () => untyped(ledger.resumeQueue)],
    ['configureQueue', () => untyped(ledger.configureQueue)],
    ['work', () => untyped(ledger.work)],
    ['onClient', () => untyped(ledger.onClient)],
    ['defineJob', () => untyped(face.defineJob)],
    ['defineJob.run', () => withMember(face.defineJob, { type: 'a' }, 'run'), [NONSENSE[11]]],
    ['defineJob.type', () => withMember(face.defineJob, { run }, 'type')],
    ['defineJob.params', () => withMember(face.defineJob, { type: 'a', run }, 'params')],
    ['defineJob.retry', () => withMember(face.defineJob, { type: 'a', run }, 'retry'), [NONSENSE[9]]],
    ['defineJob.allowRetries', () => withMember(face.defineJob, { type: 'a', run }, 'allowRetries'), [true]],
    [
      'defineJob.ignoreDuplicates',
      () => withMember(face.defineJob, { type: 'a', run }, 'ignoreDuplicates'),
      [true],
    ],
    ['defineJob.timeoutMs', () => withMember(face.defineJob, { type: 'a', run }, 'timeoutMs'), [5]],
    ['defineJob.tearDown', () => withMember(face.defineJob, { type: 'a', run }, 'tearDown'), [NONSENSE[11]]],
    ['Snooze', () => (milliseconds) => new face.Snooze(milliseconds as number), [5]],
    ['newRootJobParams', () => untyped(face.newRootJobParams)],
    ['jobQueueGroupFactory', () => untyped(face.jobQueueGroupFactory)],
    ['jobQueueGroupFactory.ledgers', () => withMember(face.jobQueueGroupFactory, {}, 'ledgers')],
    [
      'jobQueueGroupFactory.ledgers.default',
      () => (value) => untyped(face.jobQueueGroupFactory)({ ledgers: { default: value } }),
    ],
    ['jobQueueGroupFactory.typeConf', () => policies, [NONSENSE[9]]],
    ['jobQueueGroupFactory.typeConf.a', () => (value) => policies({ a: value }), [NONSENSE[9]]],
    [
      'jobQueueGroupFactory.lazy',
      () => (lazy) => untyped(face.jobQueueGroupFactory)({ ledgers: { default: ledger }, lazy }),
      [NONSENSE[9]],
    ],
    ...['flushAt', 'everyMs', 'mostJobs', 'mostBytes'].map(
      (member) => [`lazy.${member}`, () => lazily(member), [5]] as const,
    ),
    ['lazy.onUnwritten', () => lazily('onUnwritten'), [NONSENSE[11]]],
    ['promises.jobQueueGroupFactory', () => untyped(face.promises.jobQueueGroupFactory)],
    ['group', () => untyped(factory().group)],
    ['group.get', () => untyped(factory().group('w').get)],
    ['group.push', () => untyped(factory().group('w').push)],
    ['group.lazyPush', () => untyped(factory().group('w').lazyPush)],
    ['queue.push', () => untyped(factory().group('w').get('a').push), [NONSENSE[9]]],
    ['queue.lazyPush', () => untyped(factory().group('w').get('a').lazyPush), [NONSENSE[9]]],
  ];

  for (const [name, call, taken = []] of DOORS) {
    it(`is refused in a sentence by ${name}`, async () => {
      const before = (await everyEvent(site)).length;
      const wrong = NONSENSE.filter((each) => !taken.includes(each));
      for (const value of wrong) {
        const said = await saidBy(call(), value);
        expect(said, `${name} takes ${inspect(value)}`)
          .to.be.a('string')
          .that.does.not.match(RAW);
        expect(said?.length).to.be.greaterThan(15);
      }
      expect(await everyEvent(site)).to.have.length(before);
    });
  }

  for (const [name, call, sentence] of [
    [
      'openLedger',
      () => untyped(face.openLedger)({ databaseURL: 'x' }),
      'openLedger: unknown member "databaseURL"; did you mean "databaseUrl"?',
    ],
    [
      'onClient',
      () => ledger.onClient(site.pool as never),
      'onClient: this is a pool, whose statements share no transaction; give it the client on which yours is open',
    ],
    ['defineJob', () => untyped(face.defineJob)({ type: 'a' }), 'the handler of "a": run is missing'],
    [
      'defineJob',
      () => untyped(face.defineJob)({ type: 'a', run, ignoreDuplicate: true }),
      'the handler of "a": unknown member "ignoreDuplicate"; did you mean "ignoreDuplicates"?',
    ],
    ['group', () => untyped(factory().group)(5), 'group: the wiki is not a text'],
    ['factory', () => untyped(face.jobQueueGroupFactory)({}), 'jobQueueGroupFactory: ledgers is missing'],
    [
      'factory',
      () => untyped(face.jobQueueGroupFactory)({ ledgers: { main: face.openLedger() } }),
      'ledgers.main is not an open ledger, such as await promises.openLedger() gives',
    ],
    [
      'queue',
      () => untyped(factory().group('w').get('a').push)({ type: 'b' }),
      'a job was not written: type is not that of the queue, "a": leave it out, or push to the right queue',
    ],
    [
      'retry',
      () => untyped(ledger.retry)(ID, { reson: 'x' }),
      'retry: unknown member "reson"; did you mean "reason"?',
    ],
    ['job', () => ledger.job('\u0000'), 'there is no job \u0000'],
    ['pauseQueue', () => ledger.pauseQueue({ why: ' ' }), 'pauseQueue: why is empty'],
  ] as const) {
    it(`is told by ${name}: ${sentence}`, async () => {
      expect(await saidBy(call)).to.equal(sentence);
    });
  }

  it('is a spawned job that is none: its attempt fails with the sentence', async () => {
    const told: unknown[] = [];
    const handler = face.defineJob({
      type: 'parent',
      retry: false,
      run: (_, context) => untyped(context.spawn)(null),
      tearDown: (_, error) => void told.push(error instanceof Error ? error.message : error),
    });
    await ledger.promises.enqueue({ type: 'parent' });
    await ledger.work({ handlers: [handler], drain: true }).done;
    expect(told).to.deep.equal(['spawn: a job is a JSON object such as {"type":"sendMail"}']);
  });

  it('is a report on a popped job with no reason, or with options that nobody knows', async () => {
    const queue = factory().group('w').get('popped');
    await queue.promises.push({});
    const popped = await queue.promises.pop();
    expect(await saidBy(untyped(popped?.release))).to.equal('release: why is missing');
    expect(await saidBy(untyped(popped?.fail), 'x', { retryable: false })).to.equal(
      'fail: unknown member "retryable"; did you mean "isRetryable"?',
    );
    await popped?.promises.ack();
  });
});

describe('a ledger that is closed', () => {
  it('refuses everything in a sentence that says so, and is closed again for nothing', async () => {
    const site = await testLedger();
    const ledger = await face.promises.openLedger({ databaseUrl: site.url, schema: site.schema });
    const group = face.promises.jobQueueGroupFactory({ ledgers: { default: ledger } }).group('w');
    await ledger.close();
    await ledger.close();
    const said = await Promise.all([
      saidBy(ledger.enqueue({ type: 'a' })),
      saidBy(ledger.enqueueAll([{ type: 'a' }])),
      saidBy(ledger.job(ID)),
      saidBy(ledger.history(ID)),
      saidBy(ledger.project()),
      saidBy(ledger.retry(ID)),
      saidBy(ledger.retryAbandoned({})),
      saidBy(ledger.cancel(ID)),
      saidBy(ledger.release(ID)),
      saidBy(ledger.pauseQueue({ why: 'x' })),
      saidBy(ledger.configureQueue({ weight: 2 })),
      saidBy(ledger.queueDecisions()),
      saidBy(group.pop()),
      saidBy(group.sizes()),
    ]);
    expect(new Set(said)).to.deep.equal(new Set(['the ledger is closed; open it again with openLedger']));
    expect(() => ledger.work({ handlers: [] })).to.throw(TypeError, 'work: the ledger is closed');
    expect(() => ledger.onClient({} as never)).to.throw(TypeError, 'onClient: the ledger is closed');
    await site.drop();
  });
});
