// Readers of a history in which positions become visible out of order: ours, and two that lose events.
import type pg from 'pg';
import { openHorizon, type Horizon, type Observation } from '../../adapters/postgres/horizon.js';
import { readStretch } from '../../adapters/postgres/read.js';
import type { SchemaName } from '../../adapters/postgres/schema-name.js';
import type { RecordedEvent } from '../../domain/ledger.js';

export interface PollingReader {
  readonly seen: RecordedEvent[];
  readonly poll: () => Promise<void>;
}

export const horizonReader = (pool: pg.Pool, schema: SchemaName, horizon: Horizon): PollingReader => {
  const seen: RecordedEvent[] = [];
  let position = 0n;
  const poll = async (): Promise<void> => {
    const { complete } = await horizon.look();
    if (complete === undefined || complete <= position) return;
    const page = await readStretch(pool, schema, { after: position, upTo: complete, limit: undefined });
    seen.push(...page.events);
    position = page.upTo;
  };
  return { seen, poll };
};

/** Takes what it sees, and goes on behind the last of it. */
export const naiveReader = (pool: pg.Pool, schema: SchemaName): PollingReader => {
  const seen: RecordedEvent[] = [];
  const poll = async (): Promise<void> => {
    const after = seen.at(-1)?.position ?? 0n;
    const page = await readStretch(pool, schema, { after, upTo: 2n ** 62n, limit: undefined });
    seen.push(...page.events);
  };
  return { seen, poll };
};

type Part = () => Promise<void>;

/** The two reads of an observation as statements of their own, in either order, with something in between. */
export const observedInParts = (
  pool: pg.Pool,
  schema: SchemaName,
  order: 'drawn, then holders' | 'holders, then drawn',
  between: Part,
): (() => Promise<Observation>) => {
  const observe = `SELECT drawn::text, array_to_string(holders, ' ') AS holders FROM ${schema}.observe_appenders()`;
  return async () => {
    let [drawn, holders] = [0n, ''];
    const readDrawn = async (): Promise<void> => {
      const result = await pool.query<{ drawn: string }>(observe);
      drawn = BigInt(result.rows[0]?.drawn ?? 0);
    };
    const readHolders = async (): Promise<void> => {
      const result = await pool.query<{ holders: string }>(observe);
      holders = result.rows[0]?.holders ?? '';
    };
    const [first, then] =
      order === 'drawn, then holders' ? [readDrawn, readHolders] : [readHolders, readDrawn];
    await first();
    await between();
    await then();
    return { drawn, holders: holders === '' ? [] : holders.split(' '), server: 'the same' };
  };
};

export const mutantHorizon = (pool: pg.Pool, schema: SchemaName, between: Part): Horizon =>
  openHorizon(observedInParts(pool, schema, 'holders, then drawn', between));
