import { isLeft } from 'fp-ts/lib/Either.js';
import { eventStoreDbStore } from '../../adapters/eventstoredb/event-store.js';
import { postgresEventStore } from '../../adapters/postgres/event-store.js';
import { containers } from '../support/containers.js';
import { newLedgerName } from '../support/real-eventstore.js';
import { schemaDatabase, type SchemaDatabase } from '../support/schemas.js';
import { eventStoreContract } from './event-store.contract.js';

const EVENT_STORES = [
  'eventstore/eventstore:23.10',
  'eventstore/eventstore:24.10',
  'kurrentplatform/kurrentdb:latest',
];
/** The oldest that is taken, and a newer one. */
const POSTGRES = ['postgres:14', 'postgres:18'];
const APPEND_BYTES = 1_048_576;
const START_MS = 300_000;

const runtime = await containers();

if (runtime !== undefined) {
  describe('in containers', () => {
    for (const image of EVENT_STORES) {
      describe(image, () => {
        let url = '';
        before(async function () {
          this.timeout(START_MS);
          url = await runtime.eventStore(image);
        });

        eventStoreContract(image, () => {
          const store = eventStoreDbStore({ url, ledger: newLedgerName() });
          if (isLeft(store)) throw new Error(store.left.message);
          return Promise.resolve({ store: store.right, eventBytes: APPEND_BYTES, close: store.right.close });
        });
      });
    }

    for (const image of POSTGRES) {
      describe(image, () => {
        let database: SchemaDatabase;
        before(async function () {
          this.timeout(START_MS);
          database = await schemaDatabase(30, await runtime.postgres(image));
        });
        after(() => database.drop());

        eventStoreContract(image, async (firstPosition) => {
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
    }
  });
}
