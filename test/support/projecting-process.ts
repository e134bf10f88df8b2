// A process of its own that projects or rebuilds, made to be killed: node --import tsx projecting-process.ts URL PAGE_SIZE [REBUILD]. Its
// history is elsewhere where JOBLEDGER_EVENTSTORE_URL and JOBLEDGER_LEDGER are set.
import { catchUp } from '../../adapters/postgres/projector.js';
import type { Progress } from '../../adapters/postgres/step.js';
import { rebuild } from '../../adapters/postgres/rebuild.js';
import { connect } from '../../adapters/postgres/connection.js';
import { postgresEventStore } from '../../adapters/postgres/event-store.js';
import { SchemaName } from '../../adapters/postgres/schema-name.js';
import { projectionNamed, projections } from '../../projections/index.js';
import { openLedger } from '../../runners/ledger.js';
import { right } from './outcome.js';

const [, , url = '', pageSize = '', rebuilt] = process.argv;
const schema = 'jobledger';
if (!SchemaName.is(schema)) throw new Error(schema);
const pool = await right(connect(url));
const store = postgresEventStore(pool, { schema });
const options = {
  store,
  pageSize: Number(pageSize),
  onProgress: (progress: Progress) => tell(progress),
  historyOn: (client: Parameters<typeof postgresEventStore>[0]) => postgresEventStore(client, { schema }),
};

const tell = ({ position, until }: Progress): boolean => process.stdout.write(`${position} ${until}\n`);
const projectElsewhere = async (eventstoreUrl: string, name: string | undefined): Promise<never> => {
  const place = { databaseUrl: url, home: '', schema, by: 'projecting-process', report: () => undefined };
  const ledger = await right(openLedger({ ...place, eventstoreUrl, ledger: name }));
  const { projected, parks } = ledger;
  const kept = { store: ledger.store, parks, pageSize: Number(pageSize), onProgress: tell };
  for (;;) await right(catchUp(pool, schema, projected, kept));
};

process.stdout.write('ready\n');
const { JOBLEDGER_EVENTSTORE_URL: eventstoreUrl, JOBLEDGER_LEDGER: ledgerName } = process.env;
if (eventstoreUrl !== undefined) await projectElsewhere(eventstoreUrl, ledgerName);
const projection = projectionNamed(rebuilt ?? '');
if (projection === undefined) {
  const kept = projections.filter(({ drive }) => drive === 'catch-up');
  for (;;) await right(catchUp(pool, schema, kept, options));
}
await right(rebuild(pool, schema, projection, options));
await store.close();
await pool.end();
