import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandLine, type Said } from '../cli/command-line.js';
import { cliProcess } from '../../support/cli-process.js';
import { enqueued, isIn, stateOf, testLedger, typesOf, type TestLedger } from '../../support/ledger.js';
import { until } from '../../support/waiting.js';

// Writes what it runs to a file; a job may wait to be let go, for ever or until its signal fires.
const HANDLERS = `
import { appendFileSync } from 'node:fs';
const note = (job, what) => appendFileSync(new URL('runs.txt', import.meta.url), job.id + ' ' + what + '\\n');
const stopped = (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve));
const both = {};
both.opened = new Promise((resolve) => { both.open = resolve; });
export default [
  { type: 'quick', run: (job) => note(job, 'done') },
  { type: 'failing', retry: false, run: () => { throw new Error('out of paper'); } },
  { type: 'patient', run: async (job, { signal }) => { note(job, 'begun'); await stopped(signal); note(job, 'interrupted'); } },
  { type: 'stray', run: (job) => new Promise(() => setTimeout(() => { throw new RangeError('from a timer'); }, 10)) },
  { type: 'neighbour', run: () => new Promise(() => both.open()) },
  { type: 'stray beside', run: async () => { await both.opened; void Promise.reject(new RangeError('let go of')); await new Promise(() => undefined); } },
  { type: 'let go', run: (job) => { setTimeout(() => { throw new RangeError('from a timer'); }, 300); } },
  { type: 'stubborn', run: (job) => { note(job, 'begun'); return new Promise(() => setInterval(() => undefined, 1_000)); } },
];
`;

describe('jobledger work', () => {
  let ledger: TestLedger;
  let folder: string;
  let handlers: string;
  before(async () => {
    ledger = await testLedger();
    folder = mkdtempSync(join(tmpdir(), 'jobledger-work-'));
    handlers = join(folder, 'handlers.mjs');
    writeFileSync(handlers, HANDLERS);
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await ledger.drop();
  });
  beforeEach(() => writeFileSync(join(folder, 'runs.txt'), ''));

  const runs = (): readonly string[] =>
    readFileSync(join(folder, 'runs.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  const work = (...args: readonly string[]): Promise<Said> =>
    commandLine({ JOBLEDGER_DATABASE_URL: ledger.url })('work', '--handlers', handlers, ...args);

  it('works off what is ready and says how much that was', async () => {
    const ids = await enqueued(ledger, { type: 'quick' }, { type: 'quick' }, { type: 'failing' });
    const { status, stdout, stderr } = await work('--drain');
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    expect(stdout).to.match(/^2 succeeded, 1 failed, in \d+\.\d s: \d+ jobs a second\n$/);
    expect(runs()).to.have.members(ids.slice(0, 2).map((id) => `${id} done`));
  });

  it('says the same as one JSON document', async () => {
    await enqueued(ledger, { type: 'quick' });
    const { stdout } = await work('--drain', '--json');
    const report = JSON.parse(stdout) as Record<string, unknown>;
    expect(report).to.include({ succeeded: 1, failed: 0, superseded: 0, released: 0, lost: 0, refused: 0 });
    expect(report['seconds']).to.be.a('number');
    expect(report['jobsPerSecond']).to.be.a('number');
  });

  it('takes only the types and wikis it is told to', async () => {
    const [wanted = '', ...others] = await enqueued(
      ledger,
      { type: 'quick', wiki: 'enwiki' },
      { type: 'quick', wiki: 'dewiki' },
      { type: 'failing', wiki: 'enwiki' },
    );
    await work('--drain', '--type', 'quick', '--wiki', 'enwiki', '--wiki', 'frwiki');
    expect(runs()).to.deep.equal([`${wanted} done`]);
    expect(await isIn(ledger, 'Waiting', ...others)).to.equal(true);
    await work('--drain', '--concurrency', '1', '--lease', '2.5', '--heartbeat', '0.5', '--grace', '0');
    expect(await isIn(ledger, 'Waiting', ...others)).to.equal(false);
  });

  const refused: readonly (readonly [readonly string[], string])[] = [
    [['--type', 'unheardOf'], `--type unheardOf: HANDLERS has no handler for it`],
    [
      ['--type', 'a@-@b'],
      '--type holds "@-@", which separates the parts of a task id, or ends in its beginning',
    ],
    [['--wiki', 'a\n'], '--wiki holds a control character'],
    [
      ['--heartbeat', '30'],
      '--heartbeat has to be shorter than --lease, or the lease runs out before it is renewed',
    ],
    [
      ['--lease', '0'],
      `option '--lease <seconds>' argument '0' is invalid. It is a number of seconds, at least 0.1; see "jobledger work --help"`,
    ],
    [
      ['--concurrency', 'many'],
      `option '--concurrency <number>' argument 'many' is invalid. It is a whole number from 1 to 10000; see "jobledger work --help"`,
    ],
  ];
  for (const [args, why] of refused) {
    it(`refuses ${args.join(' ')}`, async () => {
      const stderr = `jobledger: ${why.replace('HANDLERS', handlers)}\n`;
      expect(await work(...args)).to.deep.equal({ status: 2, stdout: '', stderr });
    });
  }

  describe('as a process', () => {
    const begin = (type: string, ...args: readonly string[]) =>
      cliProcess(['work', '--handlers', handlers, '--type', type, ...args], {
        JOBLEDGER_DATABASE_URL: ledger.url,
      });

    it('names the job that runs where an error that nobody waits for ends it', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'stray' });
      const { ended, said } = begin('stray');
      expect(await ended).to.deep.equal([3, null]);
      expect(said()).to.include('from a timer').and.include(`it ran stray ${id} (attempt 1)`);
      expect(said()).to.match(/thrown at handlers\.mjs:\d+:\d+/);
    });

    it('gives back, uncounted, what runs beside a job that has thrown such an error once more', async () => {
      const [stray = '', neighbour = ''] = await enqueued(
        ledger,
        { type: 'stray beside' },
        { type: 'neighbour' },
      );
      const args = ['--type', 'neighbour', '--lease', '1', '--heartbeat', '0.2'];
      const first = begin('stray beside', ...args);
      expect(await first.ended).to.deep.equal([3, null]);
      expect(first.said())
        .to.include(`stray beside ${stray} (attempt 1)`)
        .and.include(`neighbour ${neighbour} (attempt 1)`);
      const second = begin('stray beside', ...args);
      expect(await second.ended).to.deep.equal([3, null]);
      expect(second.said()).to.include(
        `it came from stray beside ${stray} (attempt 2); what ran beside that is given back`,
      );
      expect((await typesOf(ledger, neighbour)).slice(-2)).to.deep.equal(['AttemptStarted', 'JobReleased']);
      expect((await typesOf(ledger, stray)).at(-1)).to.equal('AttemptStarted');
      expect(await stateOf(ledger, neighbour)).to.have.nested.property('job.attempts', 1);
    });

    it('names the last job that ended where that error comes later', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'let go' });
      const { ended, said } = begin('let go');
      expect(await ended).to.deep.equal([3, null]);
      expect(said()).to.include(`the last to end was let go ${id}`);
    });

    it('says so where the module of handlers waits for ever while it is loaded', async () => {
      const endless = join(folder, 'endless.mjs');
      writeFileSync(endless, 'await new Promise(() => undefined);\nexport default [];\n');
      const { ended, said } = begin('quick', '--handlers', endless);
      expect(await ended).to.deep.equal([2, null]);
      expect(said()).to.equal(
        `jobledger: --handlers ${endless} cannot be loaded: Error: its top-level await waits for something that never comes\n`,
      );
    });

    it('gives back what does not end within its grace time, when it is told to stop', async () => {
      const [id = ''] = await enqueued(ledger, { type: 'patient' });
      const { child, ended, said } = begin('patient', '--grace', '0.2');
      await until('the job has begun', () => runs().includes(`${id} begun`));
      child.kill('SIGTERM');
      expect(await ended).to.deep.equal([0, null]);
      expect(said()).to.include('a second signal ends at once').and.include('1 given back');
      expect(runs()).to.include(`${id} interrupted`);
      expect((await typesOf(ledger, id)).at(-1)).to.equal('JobReleased');
    });

    for (const second of ['SIGINT', 'SIGTERM'] as const) {
      it(`ends at once at the second signal, ${second} behind SIGINT`, async () => {
        const [id = ''] = await enqueued(ledger, { type: 'stubborn' });
        const { child, ended, said } = begin('stubborn', '--grace', '3600');
        await until('the job has begun', () => runs().includes(`${id} begun`));
        child.kill('SIGINT');
        await until('it says that it stops', () => said().includes('stopping'));
        child.kill(second);
        expect(await ended).to.deep.equal([null, second]);
        expect(await isIn(ledger, 'Running', id)).to.equal(true);
      });
    }
  });
});
