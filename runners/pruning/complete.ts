/**
 * Where the history is elsewhere a prune goes in steps behind the transaction that let the tables go of its jobs: its event is appended,
 * the table of pruned jobs follows, their streams are deleted. All of them may be done twice. What a prune that was broken off has left
 * is done by the next.
 */
import * as E from 'fp-ts/lib/Either.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import { jobStream, LEDGER_STREAM, nextRevision, type ExpectedRevision } from '../../domain/ledger.js';
import { aimOutbox, clearOutbox, readOutbox, type Posted } from '../../adapters/postgres/pruning/outbox.js';
import { prunedJob } from '../../projections/pruned-job.js';
import type { Ledger } from '../ledger.js';
import { appendPersistently, persistently, storeErrorOf } from '../streams/persistent-append.js';

/** What has just been done with a batch. */
export type PruneStep = 'archived' | 'taken' | 'told' | 'deleted' | 'done';

export interface Completing {
  readonly log: (line: string) => void;
  readonly onStep?: (step: PruneStep) => void;
  /** By another run, which was broken off. */
  readonly isLeftOver?: true;
}

const lastEntry = async (store: Ledger['store']): Promise<E.Either<StoreError, ExpectedRevision>> => {
  const last = await persistently(store.readStream(LEDGER_STREAM, { direction: 'backward', limit: 1 }))();
  return E.map((events: readonly { readonly revision: bigint }[]) => events[0]?.revision ?? 'no-stream')(
    last,
  );
};

/** A server may not know a repeated append any more. */
const isThere = async (
  store: Ledger['store'],
  expected: ExpectedRevision,
  { id }: Posted['event'],
): Promise<E.Either<StoreError, boolean>> => {
  const from = nextRevision(expected);
  const there = await persistently(store.readStream(LEDGER_STREAM, { from, limit: 1 }))();
  return E.map((events: readonly { readonly id: string }[]) => events[0]?.id === id)(there);
};

const MOST_TRIES = 5;

/** Where it is tried is noted first: so it is known again at that place, whatever became of the answer. */
const tell = async (
  { pool, schema, store }: Ledger,
  { event, expected: tried }: Posted,
): Promise<E.Either<StoreError, unknown>> => {
  let expected = tried;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (expected === undefined) {
      const last = await lastEntry(store);
      if (E.isLeft(last)) return last;
      const aimed = await persistently(aimOutbox(pool, schema, event.id, last.right))();
      if (E.isLeft(aimed)) return aimed;
      expected = last.right;
    }
    const outcomes = await appendPersistently(store, [{ stream: LEDGER_STREAM, expected, events: [event] }]);
    if (E.isLeft(outcomes)) return outcomes;
    const [outcome = E.left(rejected('the append was not answered'))] = outcomes.right;
    if (E.isRight(outcome)) return outcome;
    if (outcome.left._tag !== 'Conflict') return E.left(storeErrorOf(outcome.left));
    const told = await isThere(store, expected, event);
    if (E.isLeft(told) || told.right) return told;
    expected = undefined;
  }
  return E.left(rejected('the stream of the ledger moved at every try: prune again'));
};

/** True where there was something to complete. */
export const completeLastPrune = async (
  ledger: Ledger,
  { log, onStep = () => undefined, isLeftOver }: Completing,
): Promise<E.Either<StoreError, boolean>> => {
  const { pool, schema, deleteStreams } = ledger;
  if (deleteStreams === undefined) return E.right(false);
  const posted = await persistently(readOutbox(pool, schema))();
  if (E.isLeft(posted)) return posted;
  if (posted.right === undefined) return E.right(false);
  const { event, told } = posted.right;
  if (isLeftOver === true)
    log(
      `a prune was broken off: what it has left to do with ${told.streams} jobs of ${told.file} is done now`,
    );
  const appended = await tell(ledger, posted.right);
  if (E.isLeft(appended)) return appended;
  onStep('told');
  const known = await ledger.catchUp([ledger.driven(prunedJob)])();
  if (E.isLeft(known)) return known;
  const streams = told.jobs.map(({ id, revision }) => ({ stream: jobStream(id), last: BigInt(revision) }));
  const deleted = await persistently(deleteStreams(streams))();
  if (E.isLeft(deleted)) return deleted;
  onStep('deleted');
  return E.map(() => true)(await persistently(clearOutbox(pool, schema, event.id))());
};
