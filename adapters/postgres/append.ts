/** Appends to many streams: statements of a bearable size, an outcome for each stream, in the order given. */
import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import { conflict, rejected, unavailable } from '../../domain/errors.js';
import type { AppendOutcome, StreamAppend } from '../../domain/ports.js';
import { encodeAppend, repeatedStream, type EncodedAppend } from '../encoded-append.js';
import { appendParameters, appendStatements, type Fragment } from './append-statement.js';
import { copyAppend, isForCopy } from './copy-append.js';
import { isAboutValues, StoreFailure, toStoreError } from './error-mapping.js';
import type { SchemaName } from './schema-name.js';
import { standingOutcomes } from './standing.js';
import { isPool, rowsOf, type Queryable } from './statement.js';

/** Writes that commit together with the events: called with the appends of each statement, sorted by stream. */
export interface InlineWrites {
  readonly fragments: (appends: readonly StreamAppend[]) => readonly Fragment[];
}

const STATEMENT_BYTES = 4 * 1024 * 1024;
const STATEMENT_EVENTS = 2_000;
/** How often an append is tried whose stream stood at the expected revision when it was looked at afterwards. */
const TRIES = 3;

const byStream = (one: EncodedAppend, other: EncodedAppend): number =>
  one.append.stream < other.append.stream ? -1 : 1;

const statementsOf = (appends: readonly EncodedAppend[]): readonly (readonly EncodedAppend[])[] => {
  const statements: EncodedAppend[][] = [];
  let [bytes, events] = [Infinity, 0];
  for (const next of appends) {
    bytes += next.bytes;
    events += next.events.length;
    if (bytes > STATEMENT_BYTES || events > STATEMENT_EVENTS) {
      statements.push([]);
      [bytes, events] = [next.bytes, next.events.length];
    }
    statements.at(-1)?.push(next);
  }
  return statements;
};

type Outcomes = Map<EncodedAppend, AppendOutcome>;

interface Target {
  readonly db: Queryable;
  readonly schema: SchemaName;
  readonly inline: InlineWrites | undefined;
  readonly isOwnTransaction: boolean;
  readonly statementFor: ReturnType<typeof appendStatements>;
}

/** Runs the statement, notes what was inserted, and gives back the rest. */
const insert = async (
  { db, statementFor }: Target,
  appends: readonly EncodedAppend[],
  fragments: readonly Fragment[],
  outcomes: Outcomes,
): Promise<readonly EncodedAppend[]> => {
  const hasRest = appends.some(({ events }) => events.length > 1);
  const values = [...appendParameters(appends), ...fragments.flatMap(({ params }) => params)];
  const [row] = await rowsOf(db, statementFor(hasRest, fragments), values);
  const won = new Set<string>(JSON.parse(row?.[0] ?? '[]'));
  for (const each of appends) if (won.has(each.append.stream)) outcomes.set(each, written(each));
  return appends.filter((each) => !won.has(each.append.stream));
};

const written = ({ append: { stream }, last }: EncodedAppend): AppendOutcome =>
  right({ stream, revision: last, alreadyThere: false });

/** Notes why streams were not inserted, and gives back those that could be by now. */
const judge = async (
  { db, schema }: Target,
  lost: readonly EncodedAppend[],
  outcomes: Outcomes,
): Promise<readonly EncodedAppend[]> => {
  const again: EncodedAppend[] = [];
  for (const [each, standing] of lost.length > 0 ? await standingOutcomes(db, schema, lost) : []) {
    const { stream, expected } = each.append;
    if (standing._tag === 'Fits') again.push(each);
    else if (standing._tag === 'AlreadyThere') outcomes.set(each, right(standing.appended));
    else outcomes.set(each, left(conflict(stream, expected, standing.current)));
  }
  return again;
};

const write = async (
  target: Target,
  appends: readonly EncodedAppend[],
  outcomes: Outcomes,
): Promise<void> => {
  const fragmentsOf = (some: readonly EncodedAppend[]): readonly Fragment[] =>
    target.inline?.fragments(some.map(({ append }) => append)) ?? [];
  const fragments = fragmentsOf(appends);
  if (isForCopy(target, appends, fragments) && (await copyAppend(target, appends, fragments))) {
    for (const each of appends) outcomes.set(each, written(each));
    return;
  }
  let open = appends;
  for (let tries = 0; tries < TRIES && open.length > 0; tries += 1) {
    const lost = await insert(target, open, open === appends ? fragments : fragmentsOf(open), outcomes);
    open = await judge(target, lost, outcomes);
  }
  for (const each of open) {
    outcomes.set(each, left(unavailable(`stream ${each.append.stream} changed at every try; try again`)));
  }
};

/** A statement refused for its values is halved until the stream that caused it stands alone. */
const writeKeepingNeighbours = async (
  target: Target,
  appends: readonly EncodedAppend[],
  outcomes: Outcomes,
): Promise<void> => {
  try {
    await write(target, appends, outcomes);
  } catch (error) {
    const [only] = appends;
    if (!isAboutValues(error) || !isPool(target.db) || only === undefined) throw error;
    if (appends.length === 1) {
      outcomes.set(only, left(toStoreError(error)));
      return;
    }
    const middle = appends.length >> 1;
    await writeKeepingNeighbours(target, appends.slice(0, middle), outcomes);
    await writeKeepingNeighbours(target, appends.slice(middle), outcomes);
  }
};

export interface AppendOptions {
  readonly inline?: InlineWrites | undefined;
  /** The client is inside a transaction of ours: a savepoint may be set in it, and events go in by COPY. */
  readonly isOwnTransaction?: boolean | undefined;
}

export const appender = (
  db: Queryable,
  schema: SchemaName,
  { inline, isOwnTransaction = false }: AppendOptions,
): ((appends: readonly StreamAppend[]) => Promise<readonly AppendOutcome[]>) => {
  const target = { db, schema, inline, isOwnTransaction, statementFor: appendStatements(schema) };
  return async (appends) => {
    const repeated = repeatedStream(appends);
    if (repeated !== undefined) {
      throw new StoreFailure(rejected(`stream ${repeated} occurs twice in one append`));
    }
    const encoded = appends.map(encodeAppend);
    const sound = encoded.flatMap((each) => (isLeft(each) ? [] : [each.right]));
    const outcomes: Outcomes = new Map();
    for (const statement of statementsOf(sound.toSorted(byStream))) {
      await writeKeepingNeighbours(target, statement, outcomes);
    }
    return encoded.map((each) => {
      if (isLeft(each)) return each;
      const { stream } = each.right.append;
      return outcomes.get(each.right) ?? left(unavailable(`no answer for stream ${stream}; try again`));
    });
  };
};
