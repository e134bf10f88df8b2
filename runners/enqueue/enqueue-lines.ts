/** Enqueues a job per line of NDJSON. Answers come in the order of the lines; bad lines are told and cost no neighbour. */
import * as E from 'fp-ts/lib/Either.js';
import { explainStoreError, type StoreError } from '../../domain/errors.js';
import { checkSpecification } from '../../domain/job/specification.js';
import type { EnqueueAnswer, EnqueueOutcome } from '../producer/enqueueing.js';
import type { Producer } from '../producer/producer.js';
import { explainFlaw, type Flaw } from './flaw.js';
import { readJson } from './json-text.js';
import { linesOf, type Line } from './lines.js';

export interface LineSink {
  readonly onAnswers: (answers: readonly EnqueueOutcome[]) => Promise<unknown>;
  readonly onBadLine: (line: number, why: string) => void;
  readonly onProgress: (counts: LineCounts) => void;
}

export interface LineCounts {
  readonly enqueued: number;
  readonly suppressed: number;
  readonly alreadyEnqueued: number;
  readonly bad: number;
}

export interface LinesEnqueued extends LineCounts {
  /** Why it ended early, and the first line that may not have been enqueued. */
  readonly failure?: { readonly line: number; readonly error: StoreError };
}

type Counts = { -readonly [K in keyof LineCounts]: LineCounts[K] };

/** As many lines share a trip. While one is under way, the next is read and checked. */
const LINES_PER_TRIP = 1_000;

interface Trip {
  readonly lines: readonly number[];
  readonly answers: Promise<readonly EnqueueAnswer[]>;
}

export const enqueueLines = async (
  producer: Pick<Producer, 'enqueueAll'>,
  source: AsyncIterable<Buffer>,
  sink: LineSink,
): Promise<LinesEnqueued> => {
  const counts: Counts = { enqueued: 0, suppressed: 0, alreadyEnqueued: 0, bad: 0 };
  const bad = (line: number, why: string): void => {
    counts.bad += 1;
    sink.onBadLine(line, why);
  };
  let underWay: Trip | undefined;
  for await (const jobs of batchesOf(linesOf(source), bad)) {
    const next: Trip = {
      lines: jobs.map(({ line }) => line),
      answers: producer.enqueueAll(jobs.map(({ specification }) => specification)),
    };
    const failure = await settle(underWay, counts, sink, bad);
    if (failure !== undefined) {
      // It is on its way already: whoever was enqueued by it is to hear so.
      await settle(next, counts, sink, bad);
      return { ...counts, failure };
    }
    underWay = next;
  }
  const failure = await settle(underWay, counts, sink, bad);
  return failure === undefined ? counts : { ...counts, failure };
};

interface LineJob {
  readonly line: number;
  readonly specification: unknown;
}

async function* batchesOf(
  lines: AsyncIterable<Line>,
  bad: (line: number, why: string) => void,
): AsyncGenerator<readonly LineJob[]> {
  let batch: LineJob[] = [];
  for await (const { number, text } of lines) {
    if (E.isLeft(text)) {
      bad(number, text.left);
      continue;
    }
    if (text.right.trim() === '') continue;
    const specification = specificationOf(text.right);
    if (E.isLeft(specification)) {
      bad(number, explainFlaw(specification.left));
      continue;
    }
    batch.push({ line: number, specification: specification.right });
    if (batch.length === LINES_PER_TRIP) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Checked here as well as by the producer, so that bad lines are told in their order. */
const specificationOf = (text: string): E.Either<Flaw, unknown> => {
  const value = readJson(text);
  if (E.isLeft(value)) return value;
  const checked = checkSpecification(value.right);
  return E.isLeft(checked) ? checked : value;
};

const settle = async (
  trip: Trip | undefined,
  counts: Counts,
  sink: LineSink,
  bad: (line: number, why: string) => void,
): Promise<LinesEnqueued['failure']> => {
  if (trip === undefined) return undefined;
  const outcomes: EnqueueOutcome[] = [];
  let failure: LinesEnqueued['failure'];
  for (const [n, answer] of (await trip.answers).entries()) {
    const line = trip.lines[n] ?? 0;
    if (E.isRight(answer)) {
      outcomes.push(answer.right);
      counts[counterOf(answer.right)] += 1;
    } else if (answer.left._tag === 'InvalidSpecification') bad(line, explainFlaw(answer.left));
    else failure ??= { line, error: answer.left };
  }
  await sink.onAnswers(outcomes);
  sink.onProgress(counts);
  return failure;
};

const counterOf = ({ outcome }: EnqueueOutcome): Exclude<keyof Counts, 'bad'> =>
  outcome === 'already-enqueued' ? 'alreadyEnqueued' : outcome;

/** The database may have taken a trip whose answer was lost. */
export const explainLineFailure = ({ line, error }: NonNullable<LinesEnqueued['failure']>): string =>
  `stopped at line ${line}: ${explainStoreError(error)}; give the lines without an answer on standard output again, ` +
  'with a jobId each where none may run twice';
