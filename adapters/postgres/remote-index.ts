/**
 * Look-ups where the history is elsewhere: the tables are brought to its end first, and what they say of positions is read from the
 * streams. They may miss what was appended meanwhile, and never invent anything.
 */
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js';
import { map, type TaskEither } from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import type { StoreError } from '../../domain/errors.js';
import { jobStream, type Position } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import type { ExecutedEqual, JobIndex } from '../../projections/ports.js';
import { quietStretches } from '../quiet-stretches.js';
import { attempt } from './error-mapping.js';
import { byQuestion, dedupColumns, postgresJobIndex } from './job-index.js';
import { succeeded } from './outcome.js';
import { prunedAmong } from './reading/pruned.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Cells } from './statement.js';

// The last enqueued are the likeliest to have begun last; who misses a better one lets a job run once more.
const EXECUTED = `
SELECT asked.n::text, found.job::text, found.begun_revision::text, found.root_timestamp
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(wiki, type, sha1, n)
CROSS JOIN LATERAL (
  SELECT d.job, d.begun_revision, d.root_timestamp
  FROM __schema__.duplicate d
  WHERE d.begun_revision IS NOT NULL AND d.wiki = asked.wiki AND d.type = asked.type AND d.sha1 = asked.sha1
  ORDER BY d.number DESC
  LIMIT 5
) AS found`;

const latest = (found: readonly (ExecutedEqual | undefined)[]): ExecutedEqual | undefined =>
  found.reduce<ExecutedEqual | undefined>(
    (best, next) =>
      next !== undefined && (best === undefined || next.position > best.position) ? next : best,
    undefined,
  );

interface Upkeep {
  readonly upToDate: TaskEither<StoreError, unknown>;
  /** Brings the table of pruned jobs to what the history tells. */
  readonly prunedKnown: TaskEither<StoreError, unknown>;
}

const spentAmong = (
  pool: pg.Pool,
  schema: SchemaName,
  jobIds: readonly string[],
): TaskEither<StoreError, ReadonlySet<string>> =>
  map((pruned: ReadonlyMap<string, unknown>) => new Set(pruned.keys()))(prunedAmong(pool, schema)(jobIds));

export const remoteJobIndex = (
  pool: pg.Pool,
  schema: SchemaName,
  store: Pick<EventStore, 'readStream' | 'readAll'>,
  { upToDate, prunedKnown }: Upkeep,
): JobIndex => {
  const index = postgresJobIndex(pool, schema);
  const executed = prepared('executed-elsewhere', inSchema(EXECUTED, schema));
  // Once: who prunes later keeps the table itself.
  let isKnown: Promise<Either<StoreError, unknown>> | undefined;

  const current =
    <Q, A>(ask: (questions: readonly Q[]) => TaskEither<StoreError, readonly A[]>) =>
    (questions: readonly Q[]): TaskEither<StoreError, readonly A[]> =>
    async () => {
      if (questions.length === 0) return right([]);
      const done = await upToDate();
      return isLeft(done) ? left(done.left) : ask(questions)();
    };

  const begun = async ([, job, revision, rootTimestamp]: Cells): Promise<ExecutedEqual | undefined> => {
    const jobId = job ?? '';
    const read = store.readStream(jobStream(jobId), { from: BigInt(revision ?? 0), limit: 1 });
    const [event] = await succeeded(read);
    return event?.type === 'AttemptStarted'
      ? { jobId, position: event.position, rootTimestamp: rootTimestamp ?? undefined }
      : undefined;
  };

  const quietBehind = quietStretches(store);
  /** The smallest first: one reading then answers many. */
  const eachQuiet = async (positions: readonly Position[]): Promise<Either<StoreError, Position[]>> => {
    const ends = new Map<Position, Position>();
    for (const position of [...new Set(positions)].sort((a, b) => (a < b ? -1 : 1))) {
      const end = await quietBehind(position);
      if (isLeft(end)) return end;
      ends.set(position, end.right);
    }
    return right(positions.map((position) => ends.get(position) ?? position));
  };

  return {
    ...index,
    survivors: current(index.survivors),
    newestRoots: current(index.newestRoots),
    newestBegun: current(index.newestBegun),
    quietUntil: (positions) => () => eachQuiet(positions),
    suppressedIds: current(index.suppressedIds),
    spentIds: (jobIds) => async () => {
      isKnown ??= prunedKnown();
      const known = await isKnown;
      if (isRight(known)) return spentAmong(pool, schema, jobIds)();
      isKnown = undefined;
      return known;
    },
    executedEquals: current((keys) =>
      attempt(async () => {
        const rows = await rowsOf(pool, executed, dedupColumns(keys));
        const answers = byQuestion(keys.length, rows, (cells) => cells);
        return Promise.all(answers.map(async (cells) => latest(await Promise.all(cells.map(begun)))));
      }),
    ),
  };
};
