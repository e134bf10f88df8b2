// Jobs pushed lazily: when they are written, what is told of those that are not, and how many may wait.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { unavailable } from '../../../domain/errors.js';
import type { JobSpecification } from '../../../domain/job/specification.js';
import type { JobQueueError, UnwrittenJob } from '../../../runners/library/queues/errors.js';
import { lazyBuffer, type LazyOptions } from '../../../runners/library/queues/lazy-buffer.js';
import { gate, until } from '../../support/waiting.js';

const job = (n: number): JobSpecification => ({ type: 'lazy', params: { n } });
const jobs = (count: number): readonly JobSpecification[] => Array.from({ length: count }, (_, n) => job(n));
const AN_HOUR = 3_600_000;

const numbersOf = (failures: readonly UnwrittenJob[]): readonly unknown[] =>
  failures.map(({ specification }) => specification.params?.['n']);

describe('jobs pushed lazily', () => {
  /** A buffer over a store that answers as it is told to. */
  const over = (options: LazyOptions = {}) => {
    const batches: JobSpecification[][] = [];
    const told: JobQueueError[] = [];
    const state = { isDown: false, door: Promise.resolve() };
    const write = async (batch: readonly JobSpecification[]): Promise<readonly UnwrittenJob[]> => {
      batches.push([...batch]);
      await state.door;
      const error = unavailable('the store is away');
      return state.isDown ? batch.map((specification) => ({ specification, error })) : [];
    };
    const buffer = lazyBuffer(write, {
      everyMs: AN_HOUR,
      onUnwritten: (error) => void told.push(error),
      ...options,
    });
    return { buffer, batches, told, state };
  };

  it('are written together at the number that is set', async () => {
    const { buffer, batches } = over({ flushAt: 3 });
    buffer.add([job(1)]);
    buffer.add([job(2)]);
    expect(batches).to.deep.equal([]);
    buffer.add([job(3)]);
    await buffer.flush();
    expect(batches).to.deep.equal([[job(1), job(2), job(3)]]);
  });

  it('are written on a timer', async () => {
    const { buffer, batches } = over({ everyMs: 5 });
    buffer.add([job(1)]);
    await until('the timer has fired', () => batches.length === 1);
  });

  it('are written though the callback throws for those that were not', async () => {
    const warned = once(process, 'warning');
    const { buffer, batches, state } = over({
      onUnwritten: () => {
        throw new Error('no');
      },
    });
    state.isDown = true;
    buffer.add([job(1)]);
    await buffer.flush();
    state.isDown = false;
    expect(buffer.add([job(2)])).to.have.property('_tag', 'Left');
    await buffer.flush();
    expect(batches.flat()).to.deep.equal([job(1), job(2)]);
    expect((await warned)[0]).to.have.property('message', 'onUnwritten failed: no');
  });

  it('are written as they were when they were pushed', async () => {
    const { buffer, batches } = over();
    const params = { n: 1 };
    buffer.add([{ type: 'lazy', params }]);
    params.n = 2;
    await buffer.flush();
    expect(batches).to.deep.equal([[job(1)]]);
  });

  it('that come while others are written go with the next batch', async () => {
    const { buffer, batches, state } = over({ flushAt: 1 });
    const door = gate();
    state.door = door.opened;
    buffer.add([job(1)]);
    buffer.add([job(2)]);
    buffer.add([job(3)]);
    door.open();
    await buffer.flush();
    expect(batches).to.deep.equal([[job(1)], [job(2), job(3)]]);
  });

  it('that could not be written are told to the callback, and once to the next caller', async () => {
    const { buffer, told, state } = over();
    state.isDown = true;
    expect(E.isRight(buffer.add([job(1), job(2)]))).to.equal(true);
    await buffer.flush();
    expect(told.map(({ failures }) => numbersOf(failures))).to.deep.equal([[1, 2]]);
    expect(told[0]?.message).to.equal('2 jobs were not written: the store is away');
    state.isDown = false;
    const next = buffer.add([job(3)]);
    expect(E.isLeft(next) && numbersOf(next.left.failures)).to.deep.equal([1, 2]);
    expect(buffer.add([job(4)])).to.deep.equal(E.right(undefined));
  });

  it('are taken in spite of what is told of earlier ones', async () => {
    const { buffer, batches, state } = over();
    state.isDown = true;
    buffer.add([job(1)]);
    await buffer.flush();
    buffer.add([job(2)]);
    await buffer.flush();
    expect(batches).to.deep.equal([[job(1)], [job(2)]]);
  });

  it('are refused, all of the call, where more than the set number would wait or be written', async () => {
    const { buffer, batches, state } = over({ mostJobs: 5, flushAt: 3 });
    const door = gate();
    state.door = door.opened;
    expect(E.isRight(buffer.add(jobs(3)))).to.equal(true);
    const refused = buffer.add(jobs(3));
    expect(E.isLeft(refused) && numbersOf(refused.left.failures)).to.deep.equal([0, 1, 2]);
    expect(E.isRight(buffer.add(jobs(2)))).to.equal(true);
    door.open();
    await buffer.flush();
    expect(batches.flat()).to.have.lengthOf(5);
    expect(E.isRight(buffer.add(jobs(5)))).to.equal(true);
    await buffer.flush();
  });

  it('are refused where they would take more memory than is set', async () => {
    const { buffer } = over({ mostBytes: 1_000 });
    const large = { type: 'lazy', params: { text: 'x'.repeat(600) } };
    expect(E.isRight(buffer.add([large]))).to.equal(true);
    expect(E.isLeft(buffer.add([large]))).to.equal(true);
    await buffer.flush();
    expect(E.isRight(buffer.add([large]))).to.equal(true);
    await buffer.flush();
  });

  it('whose writing breaks down are told too', async () => {
    const told: JobQueueError[] = [];
    const breaking = lazyBuffer(() => Promise.reject(new Error('broken')), {
      onUnwritten: (error) => void told.push(error),
    });
    breaking.add([job(1)]);
    await breaking.flush();
    expect(told.map(({ message }) => message)).to.deep.equal(['a job was not written: broken']);
  });

  it('leave the process its signals when all is written', async () => {
    const before = process.listenerCount('SIGTERM');
    const { buffer } = over();
    buffer.add([job(1)]);
    expect(process.listenerCount('SIGTERM')).to.equal(before + 1);
    await buffer.flush();
    expect(process.listenerCount('SIGTERM')).to.equal(before);
  });

  it('are told as unwritten where the store does not answer and a second signal ends the process', async () => {
    const module = new URL('../../../runners/library/queues/lazy-buffer.ts', import.meta.url).href;
    const program = `
      import { lazyBuffer } from '${module}';
      import { writeSync } from 'node:fs';
      const say = (line) => writeSync(1, line + '\\n');
      const write = () => { say('writing'); return new Promise(() => setInterval(() => undefined, 1_000)); };
      const buffer = lazyBuffer(write, { onUnwritten: ({ message }) => say(message) });
      buffer.add([{ type: 'lazy' }]);
      say('ready');
      setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
    const ended = once(child, 'exit');
    let said = '';
    child.stdout.on('data', (text: Buffer) => (said += text.toString()));
    try {
      await until('it has jobs', () => said.includes('ready'));
      child.kill('SIGTERM');
      await until('it writes', () => said.includes('writing'));
      child.kill('SIGTERM');
      expect(await ended).to.deep.equal([null, 'SIGTERM']);
    } finally {
      child.kill('SIGKILL');
    }
    expect(said).to.include(
      'a job was not written: the process ended before the job was known to be written',
    );
  });
});
