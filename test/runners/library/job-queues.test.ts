// Queues, groups and their factory on real ledgers.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import {
  jobQueueGroupFactory,
  type JobQueueGroupFactory,
  type JobQueueGroupOptions,
} from '../../../runners/library/queues/job-queue-group-factory.js';
import { queueStorage } from '../../../runners/library/queues/queue-storage.js';
import { millisecondsBetween } from '../../../domain/instant.js';
import { handlersLedger } from '../../../runners/library/asking.js';
import type { Ledger } from '../../../runners/ledger.js';
import {
  factsOf,
  isIn,
  stateOf,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import { until } from '../../support/waiting.js';

const storage = (ledger: Ledger) => ({
  queueStorage: queueStorage(ledger, () => () => undefined),
});

describe('queues of jobs', () => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  const factoryOf = (options: Partial<JobQueueGroupOptions> = {}): JobQueueGroupFactory => {
    const factory = jobQueueGroupFactory({ ledgers: { default: storage(ledger) }, ...options });
    if (E.isLeft(factory)) throw new Error(factory.left.message);
    return factory.right;
  };

  it('take a batch, give one job at a time, and know how many are in which state', async () => {
    const queue = factoryOf().group('enwiki').get('sendMail');
    const outcomes = await right(
      queue.push({ params: { n: 1 } }, { params: { n: 2 } }, { notBefore: '9000-01-01T00:00:00Z' }),
    );
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['enqueued', 'enqueued', 'enqueued']);
    expect(await right(queue.sizes())).to.deep.equal({ ready: 2, claimed: 0, delayed: 1, abandoned: 0 });
    const first = await right(queue.pop());
    expect(first?.job).to.include({ wiki: 'enwiki', type: 'sendMail', attempt: 1 });
    expect(first?.job.params).to.deep.equal({ n: 1 });
    expect(await right(queue.sizes())).to.deep.equal({ ready: 1, claimed: 1, delayed: 1, abandoned: 0 });
    await first?.promises.ack({ sent: true });
    expect(await isIn(ledger, 'Succeeded', first?.job.id ?? '')).to.equal(true);
    const second = await right(queue.pop());
    await second?.promises.fail(new Error('no such address'), { isRetryable: false });
    expect(await right(queue.sizes())).to.deep.equal({ ready: 0, claimed: 0, delayed: 1, abandoned: 1 });
    expect(await right(queue.isEmpty())).to.equal(true);
    expect(await right(queue.pop())).to.equal(undefined);
  });

  it('have a job back that was released, or whose lease has ended; the old holder is told', async () => {
    const queue = factoryOf({ typeConf: { default: { leaseSeconds: 1 } } })
      .group()
      .get('a');
    await right(queue.push({}));
    const first = await right(queue.pop());
    await first?.promises.release('not now');
    const second = await right(queue.pop());
    expect(second?.job).to.include({ id: first?.job.id, attempt: 1 });
    const third = await until('the lease has ended', async () => (await right(queue.pop())) ?? false);
    expect(third.job).to.include({ id: first?.job.id, attempt: 2 });
    const late = await second?.ack()();
    expect(late).to.have.nested.property('left.rejection._tag', 'LeaseLost');
    await right(third.ack());
    expect((await typesOf(ledger, third.job.id)).filter((type) => type === 'LeaseExpired')).to.have.lengthOf(
      1,
    );
  });

  it('apply the policy of their type, and skip what is covered', async () => {
    const group = factoryOf({
      typeConf: { links: { ignoreDuplicates: true, retry: { maxAttempts: 2 }, class: 'low' } },
    }).group();
    const [first, second] = await right(group.get('links').push({}, {}));
    expect(second).to.deep.include({ outcome: 'suppressed', survivor: first?.jobId });
    const [facts] = await factsOf(ledger, first?.jobId ?? '', 'JobEnqueued');
    expect(facts).to.deep.include({ class: 'low' });
    expect(facts?.retry.maxAttempts).to.equal(2);
    const held = await right(group.get('links').pop());
    const [twin] = await right(group.get('links').push({}));
    await held?.promises.ack();
    const next = await right(group.get('links').pop());
    expect(next?.job.id).to.equal(twin?.jobId);
  });

  it('of one wiki are filled and emptied together, without knowing their types', async () => {
    const factory = factoryOf({ typeConf: { urgent: { class: 'high' } } });
    const group = factory.group('enwiki');
    expect(factory.group('enwiki')).to.equal(group);
    const outcomes = await right(group.push({ type: 'a' }, { type: 'b' }, { type: 'urgent' }));
    expect(outcomes).to.have.lengthOf(3);
    await right(factory.group('dewiki').push({ type: 'c' }));
    expect(await right(group.queuesWithJobs())).to.have.members(['a', 'b', 'urgent']);
    const popped: (string | undefined)[] = [];
    for (let n = 0; n < 4; n += 1) popped.push((await right(group.pop()))?.job.type);
    expect(popped[0]).to.equal('urgent');
    expect(popped.slice(1, 3)).to.have.members(['a', 'b']);
    expect(popped[3]).to.equal(undefined);
  });

  it('give each job under the lease of its own type, popped from the queue or from the group', async () => {
    const group = factoryOf({
      typeConf: { long: { leaseSeconds: 3_600 }, default: { leaseSeconds: 60 } },
    }).group();
    await right(group.push({ type: 'long' }, { type: 'other' }));
    const leases = new Map<string | undefined, number>();
    for (let n = 0; n < 2; n += 1) {
      const popped = await right(group.pop());
      const [claimed] = await factsOf(ledger, popped?.job.id ?? '', 'JobClaimed');
      const { claimedAt = '', leaseExpiresAt = '' } = claimed ?? {};
      leases.set(popped?.job.type, millisecondsBetween(claimedAt, leaseExpiresAt) / 1_000);
    }
    expect([leases.get('long'), leases.get('other')]).to.deep.equal([3_600, 60]);
  });

  it('take the class of their type only where none is configured for the queue while runners run', async () => {
    const typeConf = { links: { class: 'high' }, mail: { class: 'high' } };
    const configured = await right(handlersLedger(ledger).configureQueue({ type: 'links', class: 'low' }));
    expect(configured).to.equal(undefined);
    const outcomes = await right(
      factoryOf({ typeConf }).group('w').push({ type: 'links' }, { type: 'mail' }),
    );
    const classes = await Promise.all(
      outcomes.map(async ({ jobId }) => (await factsOf(ledger, jobId, 'JobEnqueued'))[0]?.class),
    );
    expect(classes).to.deep.equal(['normal', 'high']);
    const first = await right(factoryOf({ typeConf }).group('w').pop());
    expect(first?.job.type).to.equal('mail');
  });

  it('say which jobs were not written, and keep the others', async () => {
    const group = factoryOf().group();
    const pushed = await group.push({ type: 'a' }, { type: 'a', params: { x: 1n } }, { type: '' })();
    expect(pushed).to.have.nested.property('left._tag', 'JobQueueError');
    expect(E.isLeft(pushed) && pushed.left.failures.map(({ error }) => error)).to.have.lengthOf(2);
    expect(E.isLeft(pushed) && pushed.left.message).to.match(/^2 jobs were not written: params\.x /);
    expect(await right(group.get('a').sizes())).to.include({ ready: 1 });
  });

  it('say so where the store is gone', async () => {
    const gone: Ledger = {
      ...ledger,
      producer: {
        ...ledger.producer,
        enqueueAll: (jobs) =>
          Promise.resolve(jobs.map(() => E.left({ _tag: 'Unavailable', message: 'gone' } as const))),
      },
    };
    const told: string[] = [];
    const factory = factoryOf({
      ledgers: { default: storage(gone) },
      lazy: { onUnwritten: ({ message }) => void told.push(message) },
    });
    const pushed = await factory.group().push({ type: 'a' })();
    expect(pushed).to.have.nested.property('left.message', 'a job was not written: gone');
    expect(E.isRight(factory.group().lazyPush({ type: 'a' }))).to.equal(true);
    await factory.flush();
    expect(told).to.deep.equal(['a job was not written: gone']);
    const next = factory.group().get('b').lazyPush({});
    expect(E.isLeft(next) && next.left.failures[0]?.specification.jobId).to.be.a('string');
    await factory.flush();
  });

  it('refuse at once what could never be written lazily', async () => {
    const factory = factoryOf();
    const refused = factory.group().lazyPush({ type: 'a' }, { type: 'a', params: { x: Number.NaN } });
    expect(E.isLeft(refused) && refused.left.failures).to.have.lengthOf(1);
    await factory.flush();
    expect(await right(factory.group().get('a').isEmpty())).to.equal(true);
  });

  it('are kept in the ledgers that their types say', async () => {
    const other = await testLedger();
    const factory = factoryOf({
      ledgers: { main: storage(ledger), archive: storage(other) },
      typeConf: { default: { ledger: 'main' }, old: { ledger: 'archive' } },
    });
    const group = factory.group();
    const [first, second] = await right(group.push({ type: 'old' }, { type: 'new' }));
    expect(await stateOf(other, first?.jobId ?? '')).to.include({ _tag: 'Waiting' });
    expect(await stateOf(ledger, second?.jobId ?? '')).to.include({ _tag: 'Waiting' });
    expect([...(await right(group.sizes())).keys()]).to.have.members(['old', 'new']);
    group.lazyPush({ type: 'old' });
    await factory.flush();
    expect(await right(group.get('old').sizes())).to.include({ ready: 2 });
    const popped: (string | undefined)[] = [];
    for (let n = 0; n < 3; n += 1) popped.push((await right(group.pop()))?.job.type);
    expect(popped).to.deep.equal(['new', 'old', 'old']);
    await other.drop();
  });

  it('in several ledgers are popped by their classes, whichever ledger is the usual one', async () => {
    const other = await testLedger();
    const factory = factoryOf({
      ledgers: { main: storage(ledger), archive: storage(other) },
      typeConf: {
        default: { ledger: 'main' },
        bulk: { class: 'low' },
        urgent: { ledger: 'archive', class: 'high' },
      },
    });
    const group = factory.group();
    await right(group.push({ type: 'bulk' }, { type: 'usual' }, { type: 'urgent' }, { type: 'urgent' }));
    const popped: (string | undefined)[] = [];
    for (let n = 0; n < 5; n += 1) popped.push((await right(group.pop()))?.job.type);
    expect(popped).to.deep.equal(['urgent', 'urgent', 'usual', 'bulk', undefined]);
    await other.drop();
  });

  it('have to be told which of several ledgers is the usual one', () => {
    const ledgers = { main: storage(ledger), archive: storage(ledger) };
    expect(jobQueueGroupFactory({ ledgers })).to.have.nested.property('left.path', 'typeConf.default.ledger');
  });

  describe('in a process that ends', () => {
    const root = join(import.meta.dirname, '../../..');
    const indexUrl = pathToFileURL(join(root, 'runners/index.ts')).href;
    const codecsUrl = pathToFileURL(createRequire(join(root, 'package.json')).resolve('io-ts')).href;
    const bufferUrl = pathToFileURL(join(root, 'runners/library/queues/lazy-buffer.ts')).href;

    /** The program's file lies where no package is found. */
    const withItsImports = (text: string): string =>
      text.replace("from 'jobledger'", `from '${indexUrl}'`).replace("from 'io-ts'", `from '${codecsUrl}'`);

    /** Runs a program on this ledger; what it wrote, and how it ended. It gets a SIGTERM when it has written `ready`. */
    const ran = async (program: string) => {
      const folder = mkdtempSync(join(tmpdir(), 'jobledger-'));
      const file = join(folder, 'program.mts');
      writeFileSync(file, withItsImports(program));
      const child = spawn(process.execPath, ['--import', 'tsx', file], {
        cwd: root,
        env: { ...process.env, DATABASE_URL: ledger.url },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.toString().startsWith('ready')) child.kill('SIGTERM');
      });
      const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      rmSync(folder, { recursive: true });
      return { ended: await ended, out, err };
    };

    const pushing = (rest: string): string => `
      import { promises } from 'jobledger';
      const ledger = await promises.openLedger({ databaseUrl: process.env.DATABASE_URL });
      const factory = promises.jobQueueGroupFactory({
        ledgers: { default: ledger },
        lazy: { everyMs: 3_600_000, onUnwritten: ({ message }) => console.log(message) },
      });
      factory.group().lazyPush({ type: 'lazy' }, { type: 'lazy' });
      ${rest}`;

    const pushed = async (): Promise<number> => (await right(factoryOf().group().get('lazy').sizes())).ready;

    it('are filled before it ends by SIGTERM', async () => {
      const { ended } = await ran(pushing(`setInterval(() => undefined, 1_000); console.log('ready');`));
      expect(ended).to.equal('SIGTERM');
      expect(await pushed()).to.equal(2);
    });

    it('are filled before it ends by having nothing else to do', async () => {
      const { ended, out, err } = await ran(`
        import { lazyBuffer } from '${bufferUrl}';
        const write = async (jobs) => (await new Promise((done) => setTimeout(done, 5)), console.log(jobs.length), []);
        lazyBuffer(write, { everyMs: 3_600_000 }).add([{ type: 'a' }, { type: 'b' }]);`);
      expect([ended, out, err]).to.deep.equal([0, '2\n', '']);
    });

    it('tell what was lost where it ends without waiting', async () => {
      const { ended, out } = await ran(pushing(`process.exit(3);`));
      expect(ended).to.equal(3);
      expect(out).to.match(/^2 jobs were not written: the process ended/);
    });

    const shownAs = (name: string): string => {
      const readme = readFileSync(join(root, 'README.md'), 'utf8');
      const block = new RegExp(`<!-- ${name} -->\\s+\`\`\`ts\\n(.*?)\`\`\``, 's').exec(readme);
      return block?.[1] ?? '';
    };

    it('work as the README shows first', async () => {
      const { ended, out, err } = await ran(shownAs('library'));
      expect([ended, err]).to.deep.equal([0, '']);
      expect(out)
        .to.match(/^sendMail \S+: a mail to ann@example\.org\n\{/)
        .and.to.include('succeeded: 1,');
    });

    it('do what the README shows', async () => {
      const { ended, out, err } = await ran(shownAs('queues'));
      expect([ended, err]).to.deep.equal([0, '']);
      expect(out.split('\n')).to.deep.equal([
        "{ to: 'ann@example.org' } { ready: 0, claimed: 1, delayed: 0, abandoned: 0 }",
        "[ 'refreshLinks' ]",
        '',
      ]);
    });
  });
});
