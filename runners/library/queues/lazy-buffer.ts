/**
 * Jobs that wait to be pushed: written in batches, at a number, on a timer, and before the process or a ledger of theirs ends. What could not be written is
 * told to a callback at once, and to the next caller. Memory is bounded: where the store does not keep up, jobs are refused.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { JobSpecification } from '../../../domain/job/specification.js';
import { rejected, unavailable } from '../../../domain/errors.js';
import { jobQueueError, type JobQueueError, type UnwrittenJob } from './errors.js';
import type { Closing } from '../closing.js';
import { whenLeaving } from './leaving.js';

export interface LazyOptions {
  /** Jobs that are written at once, without waiting for the timer. Default 100. */
  readonly flushAt?: number | undefined;
  /** Milliseconds that a job waits at most. Default 1,000. */
  readonly everyMs?: number | undefined;
  /** Most jobs in memory, those that are being written included. Default 10,000. */
  readonly mostJobs?: number | undefined;
  /** Most bytes in memory, as JSON, about. Default 16 MiB. */
  readonly mostBytes?: number | undefined;
  /** Told of jobs that were not written, as soon as that is known. What it throws becomes a warning of the process. */
  readonly onUnwritten?: ((error: JobQueueError) => void) | undefined;
}

export interface BufferOptions extends LazyOptions {
  /** Of the ledgers that it writes to. */
  readonly closings?: readonly Closing['before'][];
}

export interface LazyBuffer {
  /**
   * Takes all of the jobs, or none. A left names the jobs that will not be written: these, where there is no room for them; or earlier
   * ones, whose writing has failed since the last call.
   */
  readonly add: (jobs: readonly JobSpecification[]) => E.Either<JobQueueError, void>;
  /** Resolves when all that was taken so far has been written, or has been told as unwritten. */
  readonly flush: () => Promise<void>;
}

const DEFAULT_MOST_BYTES = 16 * 1024 * 1024;

/** What was not written: told to the callback at once, and once more to the next caller. */
const unwrittenJobs = (most: number, onUnwritten: LazyOptions['onUnwritten']) => {
  let untold: UnwrittenJob[] = [];
  return {
    tell: (failures: readonly UnwrittenJob[]): void => {
      if (failures.length === 0) return;
      untold = [...untold, ...failures].slice(-most);
      // The next caller is told as well: what the callback throws must not cost the jobs that still wait.
      try {
        onUnwritten?.(jobQueueError(failures));
      } catch (error) {
        process.emitWarning(`onUnwritten failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    take: (): readonly UnwrittenJob[] => {
      const taken = untold;
      untold = [];
      return taken;
    },
  };
};

/** As text: a caller may change its params afterwards. */
const specificationOf = (text: string): JobSpecification => JSON.parse(text);

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

type Write = (jobs: readonly JobSpecification[]) => Promise<readonly UnwrittenJob[]>;

/** What was not written of the batch; where the writing itself breaks down, all of it. */
const written = async (write: Write, texts: readonly string[]): Promise<readonly UnwrittenJob[]> => {
  const jobs = texts.map(specificationOf);
  try {
    return await write(jobs);
  } catch (error) {
    const failure = rejected(error instanceof Error ? error.message : String(error));
    return jobs.map((specification) => ({ specification, error: failure }));
  }
};

const lost = (texts: readonly string[]): readonly UnwrittenJob[] => {
  const error = unavailable('the process ended before the job was known to be written');
  return texts.map((text) => ({ specification: specificationOf(text), error }));
};

export const lazyBuffer = (write: Write, options: BufferOptions = {}): LazyBuffer => {
  const { flushAt = 100, everyMs = 1_000, mostJobs = 10_000, mostBytes = DEFAULT_MOST_BYTES } = options;
  const { closings = [] } = options;
  const unwritten = unwrittenJobs(mostJobs, options.onUnwritten);
  let waiting: string[] = [];
  let writing: string[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let flight: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    try {
      while (waiting.length > 0) {
        [writing, waiting] = [waiting, []];
        const failures = await written(write, writing);
        bytes -= lengthOf(writing);
        writing = [];
        unwritten.tell(failures);
      }
    } finally {
      flight = undefined;
      leaving.disarm();
    }
  };

  const flush = (): Promise<void> => (flight ??= writeAll());

  const flushAll = async (): Promise<void> => {
    while (waiting.length > 0 || flight !== undefined) await flush();
  };

  const leaving = whenLeaving({
    finish: flush,
    giveUp: () => unwritten.tell(lost([...writing, ...waiting])),
    beforeClosing: () => closings.map((before) => before(flushAll)),
  });

  const keep = (texts: readonly string[]): void => {
    waiting.push(...texts);
    bytes += lengthOf(texts);
    leaving.arm();
    if (waiting.length >= flushAt) void flush();
    else if (flight === undefined) timer ??= setTimeout(() => void flush(), everyMs).unref();
  };

  const hasRoom = (texts: readonly string[]): boolean =>
    waiting.length + writing.length + texts.length <= mostJobs && bytes + lengthOf(texts) <= mostBytes;

  return {
    flush: flushAll,
    add: (specifications) => {
      const texts = specifications.map((each) => JSON.stringify(each));
      const failures = unwritten.take();
      if (!hasRoom(texts)) {
        const error = unavailable(`${waiting.length + writing.length} jobs wait already, there is no room`);
        const refused = specifications.map((specification) => ({ specification, error }));
        return E.left(jobQueueError([...failures, ...refused]));
      }
      if (texts.length > 0) keep(texts);
      return failures.length === 0 ? E.right(undefined) : E.left(jobQueueError(failures));
    },
  };
};
