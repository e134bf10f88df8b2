import { postgresEventStore } from '../../adapters/postgres/event-store.js';
import { schemaDatabase, type SchemaDatabase } from '../support/schemas.js';
import { eventStoreContract } from './event-store.contract.js';

describe('PostgreSQL', () => {
  let database: SchemaDatabase;
  before(async () => {
    database = await schemaDatabase(30);
  });
  after(() => database.drop());

  eventStoreContract('PostgreSQL', async (firstPosition) => {
    const schema = await database.migratedSchema();
    if (firstPosition !== undefined) {
      await database.pool.query(
        `ALTER TABLE ${schema}.event ALTER COLUMN position RESTART WITH ${firstPosition}`,
      );
    }
    const store = postgresEventStore(database.pool, { schema, pollMilliseconds: 50 });
    return { store, close: store.close };
  });
});
