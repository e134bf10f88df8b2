// A process of its own that projects or rebuilds, made to be killed: node --import tsx projecting-process.ts URL PAGE_SIZE [REBUILD]
import { catchUp, type Progress } from '../../adapters/postgres/projector.js';
import { rebuild } from '../../adapters/postgres/rebuild.js';
import { connect } from '../../adapters/postgres/connection.js';
import { postgresEventStore } from '../../adapters/postgres/event-store.js';
import { SchemaName } from '../../adapters/postgres/schema-name.js';
import { projectionNamed, projections } from '../../projections/index.js';
import { right } from './outcome.js';

const [, , url = '', pageSize = '', rebuilt] = process.argv;
const schema = 'jobledger';
if (!SchemaName.is(schema)) throw new Error(schema);
const pool = await right(connect(url));
const store = postgresEventStore(pool, { schema });
const options = {
  store,
  pageSize: Number(pageSize),
  onProgress: ({ position, until }: Progress) => process.stdout.write(`${position} ${until}\n`),
  historyOn: (client: Parameters<typeof postgresEventStore>[0]) => postgresEventStore(client, { schema }),
};

process.stdout.write('ready\n');
const projection = projectionNamed(rebuilt ?? '');
if (projection === undefined) {
  const kept = projections.filter(({ drive }) => drive === 'catch-up');
  for (;;) await right(catchUp(pool, schema, kept, options));
}
await right(rebuild(pool, schema, projection, options));
await store.close();
await pool.end();
