import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { commandLine, jsonLines, type Said } from '../cli/command-line.js';
import { column, stateOf, testLedger, type TestLedger } from '../../support/ledger.js';

const OWN_ID = '01990000-0000-7000-8000-00000000000a';

describe('jobledger enqueue', () => {
  let ledger: TestLedger;
  let folder: string;
  let jobledger: ReturnType<typeof commandLine>;
  before(async () => {
    ledger = await testLedger();
    folder = mkdtempSync(join(tmpdir(), 'jobledger-enqueue-'));
    jobledger = commandLine({ JOBLEDGER_DATABASE_URL: ledger.url });
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await ledger.drop();
  });

  const enqueueLines = (lines: readonly string[]): Promise<Said> => {
    const path = join(folder, 'jobs.ndjson');
    writeFileSync(path, lines.join('\n'));
    return jobledger('enqueue', '--ndjson', path);
  };

  it('enqueues a job with everything that its flags say', async () => {
    const flags =
      'enqueue sendMail --wiki enwiki --namespace -1 --title Main_Page --json --priority -7 --max-attempts 2 ' +
      `--not-before 2100-01-01T01:00:00+01:00 --ignore-duplicates --dedup-key k --job-id ${OWN_ID}`;
    const params = ['--params', '{"to":"a@example.org","n":[1,2.5]}'];
    const { status, stdout } = await jobledger(...flags.split(' '), ...params);
    expect({ status, stdout }).to.deep.equal({
      status: 0,
      stdout: `{"jobId":"${OWN_ID}","outcome":"enqueued"}\n`,
    });
    const state = await stateOf(ledger, OWN_ID);
    if (state._tag !== 'Waiting') throw new Error(state._tag);
    expect(state.notBefore).to.equal('2100-01-01T00:00:00.000Z');
    expect(state.job.enqueued).to.deep.include({
      wiki: 'enwiki',
      type: 'sendMail',
      namespace: -1,
      title: 'Main_Page',
      params: { to: 'a@example.org', n: [1, 2.5] },
      class: 'normal',
      priority: -7,
    });
    expect(state.job.retry.maxAttempts).to.equal(2);
    expect(state.job.ignoreDuplicates).to.equal(true);
  });

  it('answers with the job that is there: the same id, or an equal one that waits', async () => {
    const again = await jobledger('enqueue', 'sendMail', '--job-id', OWN_ID);
    expect(again).to.deep.include({ status: 0, stdout: `${OWN_ID} already-enqueued\n` });
    const first = await jobledger('enqueue', 'purge', '--ignore-duplicates', '--json');
    const [{ jobId } = {}] = jsonLines(first.stdout);
    const second = await jobledger('enqueue', 'purge', '--ignore-duplicates', '--json');
    expect(second.status).to.equal(0);
    expect(jsonLines(second.stdout)).to.deep.equal([{ jobId, outcome: 'suppressed', survivor: jobId }]);
    expect((await jobledger('enqueue', 'purge', '--ignore-duplicates')).stdout).to.match(/^\S+ suppressed: /);
  });

  const refused: readonly (readonly [readonly string[], string])[] = [
    [[], 'say which TYPE of job, or give --ndjson a file or "-"; see "jobledger enqueue --help"'],
    [['x'.repeat(61)], 'the job type has 61 bytes, at most 60 are allowed'],
    [['t', '--title', 'ü'.repeat(128)], '--title has 256 bytes, at most 255 are allowed'],
    [
      ['t', '--params', '{"a":'],
      '--params is not JSON: a value is expected at position 5, where the text ends',
    ],
    [['t', '--params', '[]'], '--params is not a JSON object'],
    [
      ['t', '--params', '{"a":["\\u0000"]}'],
      '--params: params.a[0] holds a NUL character, which the database cannot store',
    ],
    [
      ['t', '--params', '{"a":{"__proto__":1}}'],
      '--params: params.a.__proto__ is a key that JavaScript cannot carry safely',
    ],
    [
      ['t', '--params', '{"a":9007199254740993}'],
      '--params: params.a is 9007199254740993, beyond 2^53, where whole numbers cannot be kept exactly; pass it as a text',
    ],
    [['t', '--namespace', 'main'], '--namespace is not a whole number from -2147483647 to 2147483647'],
    [
      ['t', '--priority', 'urgent'],
      '--priority is neither high, normal, low nor a whole number from -1000000 to 1000000',
    ],
    [['t', '--max-attempts', '0'], '--max-attempts is not a whole number from 1 to 1000'],
    [
      ['t', '--not-before', '2026-11-01T01:30'],
      '--not-before "2026-11-01T01:30" is not an instant with an offset, such as 2026-11-01T01:30:00Z or 2026-11-01T01:30:00-04:00',
    ],
    [
      ['t', '--ndjson', '-'],
      'with --ndjson every line says its own type and members: give no TYPE and no other option',
    ],
    [['--ndjson', 'no/such/file'], 'no/such/file: there is no such file'],
    [['--ndjson', '.'], '.: this is a folder, not a file'],
  ];
  for (const [args, why] of refused) {
    it(`refuses ${args.length === 0 ? 'to guess a type' : args.join(' ').slice(0, 60)}`, async () => {
      const before = await column(ledger, 'SELECT count(*)::text FROM __schema__.event');
      const said = await jobledger('enqueue', ...args);
      expect(said).to.deep.equal({ status: 2, stdout: '', stderr: `jobledger: ${why}\n` });
      expect(await column(ledger, 'SELECT count(*)::text FROM __schema__.event')).to.deep.equal(before);
    });
  }

  it('tells bad lines with their number, keeps the good ones, and answers in their order', async () => {
    const ids = [1, 2, 3].map((n) => `01990000-0000-7000-8000-00000000010${n}`);
    const said = await enqueueLines([
      `{"type":"a","jobId":"${ids[0]}"}`,
      '{"type":"a",',
      '',
      `{"type":"b","jobId":"${ids[1]}","params":{"n":1e400}}`,
      `{"type":"b","jobId":"${ids[1]}","wiki":"dewiki"}`,
      `{"typ":"c"}`,
      `{"type":"c","jobId":"${ids[2]}"}`,
      `{"type":"c","jobId":"${ids[0]}"}`,
    ]);
    expect(said.status).to.equal(2);
    expect(jsonLines(said.stdout)).to.deep.equal([
      ...ids.map((jobId) => ({ jobId, outcome: 'enqueued' })),
      { jobId: ids[0], outcome: 'already-enqueued' },
    ]);
    expect(said.stderr.split('\n')).to.deep.equal([
      'line 2: is not JSON: a key in double quotes is expected at position 12, where the text ends',
      'line 4: params.n is 1e400, a number too large to be kept; pass it as a text',
      'line 6: unknown member "typ"; did you mean "type"?',
      'jobledger: 3 lines were bad and are named above; the other 4 were accepted',
      '',
    ]);
  });

  it('answers thousands of lines in their order', async () => {
    const idOf = (n: number): string => `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`;
    const numbers = Array.from({ length: 3_500 }, (_, n) => 100_000 + n);
    const said = await enqueueLines(numbers.map((n) => `{"type":"many","jobId":"${idOf(n)}"}`));
    expect(said).to.include({ status: 0, stderr: '' });
    expect(jsonLines(said.stdout).map(({ jobId }) => jobId)).to.deep.equal(numbers.map(idOf));
  });

  it('reads lines from standard input', async () => {
    const program = fileURLToPath(new URL('../../../runners/cli.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', program, 'enqueue', '--ndjson', '-'], {
      env: { ...process.env, JOBLEDGER_DATABASE_URL: ledger.url },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let answered = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (answered += text));
    child.stdin.end('{"type":"piped"}\n{"type":"piped"}\n');
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(status).to.equal(0);
    expect(jsonLines(answered).map(({ outcome }) => outcome)).to.deep.equal(['enqueued', 'enqueued']);
  });
});
