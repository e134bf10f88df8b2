// What a process with its history on EventStoreDB keeps of the jobs it has done: nothing. On a protocol double in a process of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline/promises';
import { expect } from 'chai';
import type { HeapOptions, HeapStep } from '../../support/heap-process.js';
import { newLedgerName } from '../../support/real-eventstore.js';
import { testDatabase, type TestDatabase } from '../../support/postgres.js';

const JOBS = Number(
  process.env['JOBLEDGER_TEST_EVENTSTORE_JOBS'] ?? (process.env['JOBLEDGER_LARGE'] === '1' ? 100_000 : 1_200),
);
const isLong = JOBS >= 20_000;
const STEPS = isLong ? 20 : 6;
/** Of a short run, what is kept once (prepared statements, connections, caches of a fixed size) is the most. */
const MOST_BYTES_A_THOUSAND = isLong ? 1_024 : 250_000;

/**
 * Every function is compiled once, at its first call, and stays so. Optimised code comes by and by for hours, with notes of its own on
 * the heap, and is thrown away at times: some hundred kilobytes up and down that depend on the number of functions and not of jobs.
 */
const COMPILED_ONCE = [
  '--always-sparkplug',
  '--no-opt',
  '--no-maglev',
  '--no-lazy-feedback-allocation',
  '--no-flush-bytecode',
];

const TSX = import.meta.resolve('tsx');
const programOf = (path: string): string => fileURLToPath(new URL(`../../support/${path}`, import.meta.url));

const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
};

/**
 * Bytes a job behind the first quarter, as what a process needs at its beginning it gets once: the median of the slopes between any two steps
 * (Theil and Sen), which a step or two with something under way do not move. Readings at rest differ by 20 KB, as connections come and
 * go: the longer the stretch, the less that is a job.
 */
const slopeOf = (steps: readonly HeapStep[]): number => {
  const later = steps.slice(steps.length >> 2);
  return medianOf(
    later.flatMap((one, n) =>
      later.slice(n + 1).map((other) => (other.bytes - one.bytes) / (other.jobs - one.jobs)),
    ),
  );
};

describe('the heap of a process with its history on EventStoreDB (protocol double)', () => {
  let database: TestDatabase;
  const children: ChildProcess[] = [];
  before(async () => {
    database = await testDatabase();
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await database.drop();
  });

  const started = (flags: readonly string[], path: string, ...args: readonly string[]) => {
    const child = spawn(process.execPath, [...flags, '--import', TSX, programOf(path), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return { child, lines: createInterface({ input: child.stdout }) };
  };

  it(`does not grow with the ${JOBS} jobs it has done, and the process ends by itself`, async function () {
    this.timeout(300_000 + JOBS * 200);
    const double = started([], 'eventstore-double/process.ts');
    const [eventstoreUrl] = (await once(double.lines, 'line')) as [string];
    const ledger = newLedgerName();
    const options: HeapOptions = {
      url: database.url,
      schema: 'heap',
      eventstoreUrl,
      ledger,
      jobs: JOBS,
      steps: STEPS,
    };
    const { child, lines } = started(
      ['--expose-gc', ...COMPILED_ONCE],
      'heap-process.ts',
      JSON.stringify(options),
    );
    const ended = once(child, 'exit');
    const steps: HeapStep[] = [];
    for await (const line of lines) steps.push(JSON.parse(line) as HeapStep);
    expect(await ended).to.deep.equal([0, null]);
    expect(steps.at(-1)?.jobs).to.equal(JOBS);
    const slope = 1_000 * slopeOf(steps);
    const told = steps.map(({ bytes }) => (bytes / 1024 / 1024).toFixed(2)).join(' ');
    console.log(`      ${told} MiB: ${slope.toFixed(0)} bytes for 1,000 jobs`);
    expect(slope).to.be.below(MOST_BYTES_A_THOUSAND);
  });
});
