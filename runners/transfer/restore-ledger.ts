/**
 * Writes the events of a file to a ledger that is empty, or that was restored from the same history before: then what is there already
 * stays, and only the rest is added.
 */
import * as E from 'fp-ts/lib/Either.js';
import { dumpBytes } from '../../adapters/mediawiki/dump/dump-bytes.js';
import { EVENT_BYTES } from '../../adapters/encoded-append.js';
import { START } from '../../domain/ledger.js';
import { linesOf, type Line } from '../enqueue/lines.js';
import { readHead, readLine, type FileEvent, type Head } from './ledger-file.js';
import { batchesOf } from './restore-batches.js';
import { otherHistory, type RestoreFailure } from './restore-failure.js';
import {
  refuse,
  writeBatch,
  type RestoreOptions,
  type RestorePorts,
  type RestoreResult,
  type Restoring,
} from './restore-writing.js';

const notALedger = (why: string): RestoreFailure => ({
  _tag: 'NotALedger',
  message: `this is not the file of a ledger: its first line ${why}`,
});

/** In JSON half of an event's bytes may be escapes. */
const LONGEST_LINE = 2 * EVENT_BYTES;
const PIECE_BYTES = 256 * 1024;

export const restoreLedger = async (
  ports: RestorePorts,
  options: RestoreOptions,
): Promise<E.Either<RestoreFailure, RestoreResult>> => {
  const counts = { restored: 0, alreadyThere: 0, pruned: 0, refused: 0 };
  const restoring: Restoring = {
    ...ports,
    ...options,
    counts,
    broken: new Set(),
    prunedInFile: new Map(),
    lines: 0,
    end: undefined,
    number: 0n,
  };
  const lines = readableLines(options.path);
  try {
    const failure = await restoreLines(restoring, lines);
    if (failure !== undefined) return E.left(failure);
  } finally {
    await lines.return(undefined);
  }
  return E.right({ ...counts, lines: restoring.lines, end: restoring.end });
};

const restoreLines = async (
  restoring: Restoring,
  lines: AsyncGenerator<Line>,
): Promise<RestoreFailure | undefined> => {
  const first = await lines.next();
  if (first.done === true) return notALedger('is missing');
  const head = E.chain(readHead)(first.value.text);
  if (E.isLeft(head)) return notALedger(head.left);
  const stranger = await strangerIn(restoring, head.right);
  if (stranger !== undefined) return stranger;
  // While one batch is being written, the next is read.
  let underWay: Promise<RestoreFailure | undefined> = Promise.resolve(undefined);
  for await (const batch of batchesOf(eventsOf(restoring, lines))) {
    const failure = await underWay;
    if (failure !== undefined) return failure;
    restoring.onProgress?.(restoring.counts);
    underWay = writeBatch(restoring, batch);
  }
  return underWay;
};

/** A ledger is known by its first event, which is restored before all others. */
const strangerIn = async ({ store }: Restoring, { first }: Head): Promise<RestoreFailure | undefined> => {
  const there = await store.readAll({ after: START, limit: 1 })();
  if (E.isLeft(there)) return there.left;
  if (there.right.events.length === 0) return undefined;
  const why =
    'this ledger has a history of its own: restore into an empty one (another --schema or --ledger)';
  if (first === null) return otherHistory(why);
  const same = await store.readStream(first.stream, { from: BigInt(first.revision), limit: 1 })();
  if (E.isLeft(same)) return same.left;
  return same.right[0]?.id === first.id ? undefined : otherHistory(why);
};

/** What cannot be read, such as the rest of a file that was cut short inside its compression, is a bad line. */
async function* readableLines(path: string): AsyncGenerator<Line> {
  let last = 0;
  try {
    for await (const line of linesOf(dumpBytes(path, PIECE_BYTES), LONGEST_LINE)) {
      last = line.number;
      yield line;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    yield { number: last + 1, text: E.left(`cannot be read, nor what is behind it: ${reason}`) };
  }
}

async function* eventsOf(restoring: Restoring, lines: AsyncIterable<Line>): AsyncGenerator<FileEvent> {
  for await (const { number, text } of lines) {
    const read = E.chain((line: string) => readLine(number, line))(text);
    if (E.isRight(read) && read.right._tag === 'End') {
      restoring.end = read.right.events;
      continue;
    }
    restoring.lines += 1;
    if (E.isLeft(read)) refuse(restoring, number, 1, read.left);
    else if (read.right._tag === 'Event') yield read.right.event;
  }
}
