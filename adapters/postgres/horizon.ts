/**
 * How far history is complete (field case 32). Positions become visible in the order of commits, not in their own. A position
 * that had been drawn before the lock's holders were read belongs to one of these holders or is settled; so once all of them
 * are gone, everything up to it is settled. Reading the holders before the sequence loses events; so does one single look.
 */
import { rejected, unavailable } from '../../domain/errors.js';
import type { Position } from '../../domain/ledger.js';
import { backOff } from '../back-off.js';
import { pause } from '../pause.js';
import { StoreFailure } from './error-mapping.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { isPool, prepared, rowsOf, type Queryable } from './statement.js';

export interface Observation {
  /** Last position drawn, read first. */
  readonly drawn: Position;
  /** Transactions that were appending after that. */
  readonly holders: readonly string[];
  /** Changes when the server restarts or another takes its place: what was known about the old one is worthless. */
  readonly server: string;
}

interface Look {
  readonly drawn: Position;
  /** Newest position up to which nothing can appear any more; undefined until the first appenders seen are gone. */
  readonly complete: Position | undefined;
}

export interface Horizon {
  readonly look: () => Promise<Look>;
  /** Waits until everything drawn before the call is settled. */
  readonly settled: () => Promise<Position>;
  /** The last known complete position, without looking. */
  readonly known: () => Position | undefined;
}

interface Pair {
  readonly drawn: Position;
  readonly holders: ReadonlySet<string>;
}

/** Holders that are gone are struck out; a pair whose holders include all of a newer pair's can never matter again. */
const afterObservation = (pairs: readonly Pair[], { drawn, holders }: Observation): readonly Pair[] => {
  const now = new Set(holders);
  const struck = pairs.map((pair) => ({
    drawn: pair.drawn,
    holders: new Set([...pair.holders].filter((each) => now.has(each))),
  }));
  const all = [...struck, { drawn, holders: now }];
  return all.filter(
    (pair, index) => !all.slice(index + 1).some((newer) => includesAll(pair.holders, newer.holders)),
  );
};

const includesAll = (holders: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...others].every((each) => holders.has(each));

const SHORTEST_WAIT = 2;
const LONGEST_WAIT = 50;
export const SETTLE_DEADLINE = 30_000;

export const openHorizon = (observe: () => Promise<Observation>): Horizon => {
  let pairs: readonly Pair[] = [];
  let complete: Position | undefined;
  let server: string | undefined;

  const observed = async (): Promise<Look> => {
    const observation = await observe();
    if (observation.server !== server) [pairs, complete, server] = [[], undefined, observation.server];
    pairs = afterObservation(pairs, observation);
    const [oldest] = pairs;
    if (oldest?.holders.size === 0) complete = oldest.drawn;
    return { drawn: observation.drawn, complete };
  };

  // One at a time: an older observation handled after a newer one would strike out transactions that had not begun in it.
  let last: Promise<unknown> = Promise.resolve();
  const look = (): Promise<Look> => {
    const next = last.then(observed, observed);
    last = next.catch(() => undefined);
    return next;
  };

  const settled = async (): Promise<Position> => {
    const deadline = performance.now() + SETTLE_DEADLINE;
    const { drawn, complete: first } = await look();
    let reached = first;
    const waits = backOff(SHORTEST_WAIT, LONGEST_WAIT);
    while (reached === undefined || reached < drawn) {
      if (performance.now() > deadline) throw new StoreFailure(unavailable(tooLong(pairs)));
      await pause(waits.next());
      reached = (await look()).complete;
    }
    return reached;
  };

  return { look, settled, known: () => complete };
};

const tooLong = (pairs: readonly Pair[]): string =>
  `an appending transaction (${[...(pairs[0]?.holders ?? [])].join(', ')}) has been open for more than ` +
  `${SETTLE_DEADLINE / 1000} s; the history behind it cannot be read before it ends`;

const OBSERVE = `
SELECT o.drawn::text, array_to_string(o.holders, ' '), o.server_started, o.isolation
FROM __schema__.observe_appenders() o`;

export const postgresObserve = (db: Queryable, schema: SchemaName): (() => Promise<Observation>) => {
  const query = prepared('observe', inSchema(OBSERVE, schema));
  return async () => {
    const [row] = await rowsOf(db, query, []);
    const [drawn, holders, server, isolation] = row ?? [];
    // On a client there may be a snapshot older than this observation; what committed in between would be passed over.
    if (!isPool(db) && isolation !== 'read committed') {
      throw new StoreFailure(
        rejected(
          `the end of history cannot be found inside a ${isolation} transaction: say up to where to read`,
        ),
      );
    }
    return {
      drawn: BigInt(drawn ?? 0),
      holders: holders ? holders.split(' ') : [],
      server: server ?? '',
    };
  };
};
