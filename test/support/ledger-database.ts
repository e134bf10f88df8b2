// A ledger in a database of its own: migrated, with its event store and inline projections, for tests of the PostgreSQL adapter.
import { isLeft } from 'fp-ts/lib/Either.js';
import type pg from 'pg';
import { connect } from '../../adapters/postgres/connection.js';
import { postgresEventStore, type PostgresEventStore } from '../../adapters/postgres/event-store.js';
import { inlineWrites } from '../../adapters/postgres/inline.js';
import { migrate } from '../../adapters/postgres/migrate.js';
import { SchemaName } from '../../adapters/postgres/schema-name.js';
import type { EventStore, StreamAppend } from '../../domain/ports.js';
import { inlineProjections } from '../../projections/index.js';
import { right } from './outcome.js';
import { testDatabase } from './postgres.js';

export interface LedgerDatabase {
  readonly url: string;
  readonly schema: SchemaName;
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore;
  readonly drop: () => Promise<void>;
}

export const ledgerDatabase = async (): Promise<LedgerDatabase> => {
  const database = await testDatabase();
  const schema = 'jobledger';
  if (!SchemaName.is(schema)) throw new Error(schema);
  const pool = await right(connect(database.url, { connections: 20 }));
  await right(migrate(pool, schema));
  const store = postgresEventStore(pool, { schema, inline: inlineWrites(inlineProjections) });
  return {
    url: database.url,
    schema,
    pool,
    store,
    drop: async () => {
      await store.close();
      await pool.end();
      await database.drop();
    },
  };
};

/** Appends in statements of up to `batch` streams, each stream once a statement, and expects every one to be taken. */
export const appendAll = async (
  store: Pick<EventStore, 'append'>,
  appends: readonly StreamAppend[],
  batch = 50,
): Promise<void> => {
  const write = async (some: readonly StreamAppend[]): Promise<void> => {
    for (const outcome of await right(store.append(some))) {
      if (isLeft(outcome))
        throw new Error(JSON.stringify(outcome.left, (_, v) => (typeof v === 'bigint' ? `${v}` : v)));
    }
  };
  let open: StreamAppend[] = [];
  for (const next of appends) {
    if (open.length >= batch || open.some(({ stream }) => stream === next.stream)) {
      await write(open);
      open = [];
    }
    open.push(next);
  }
  if (open.length > 0) await write(open);
};

export { right };
