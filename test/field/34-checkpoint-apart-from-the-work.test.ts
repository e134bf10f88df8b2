// Field case 34: a checkpoint apart from the work, with the history on either store.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import type pg from 'pg';
import { auditAll, type HistoryOn } from '../../adapters/postgres/audit.js';
import { connect } from '../../adapters/postgres/connection.js';
import { postgresEventStore } from '../../adapters/postgres/event-store.js';
import { catchUp } from '../../adapters/postgres/projector.js';
import { liveTables } from '../../adapters/postgres/merge.js';
import type { SchemaName } from '../../adapters/postgres/schema-name.js';
import type { EventStore } from '../../domain/ports.js';
import { asCatchUp, projections } from '../../projections/index.js';
import type { Projection } from '../../projections/projection.js';
import { eventStoreSites, ledgerOn, type EventStoreSite } from '../support/eventstore-sites.js';
import { openStore } from '../support/eventstore-double/doubled-store.js';
import { appendAll, ledgerDatabase, right } from '../support/ledger-database.js';
import { randomAppends } from '../support/random-appends.js';
import { dumpTables } from '../support/table-dump.js';

const KILLS = 200;
/** A process takes a second to start: for as long as this processes are killed, then connections are cut. */
const PROCESSES_MS = 15_000;
const DEADLINE_MS = 45_000;
const BATCH = 40;
const PAGE_SIZE = 12;

const program = new URL('../support/projecting-process.ts', import.meta.url).pathname;

/** A ledger whose tables are projected. */
interface Site {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly schema: SchemaName;
  readonly store: EventStore;
  readonly kept: readonly Projection[];
  readonly parks: readonly string[];
  readonly all: readonly Projection[];
  readonly historyOn: HistoryOn;
  /** Where a process finds the history. */
  readonly env: Readonly<Record<string, string>>;
  /** The store by way of a pool whose connections are to be cut. */
  readonly storeOn: (pool: pg.Pool) => EventStore & { readonly close: () => Promise<void> };
  readonly drop: () => Promise<void>;
}

const keptHere = projections.filter(({ drive }) => drive === 'catch-up');

const inPostgres = async (): Promise<Site> => {
  const ledger = await ledgerDatabase();
  const historyOn: HistoryOn = (client) => postgresEventStore(client, { schema: ledger.schema });
  const storeOn = (pool: pg.Pool) => postgresEventStore(pool, { schema: ledger.schema });
  return { ...ledger, kept: keptHere, parks: [], all: projections, historyOn, env: {}, storeOn };
};

const onEventStoreDb = async (on: EventStoreSite): Promise<Site> => {
  const ledger = await ledgerOn(on);
  const { address, historyOn, parks, projected: kept } = ledger;
  const env = { JOBLEDGER_EVENTSTORE_URL: address.eventstoreUrl, JOBLEDGER_LEDGER: address.ledger };
  const storeOn = () => openStore(address.eventstoreUrl, { ledger: address.ledger }).store;
  return { ...ledger, kept, parks, all: projections.map(asCatchUp), historyOn, env, storeOn };
};

/** Killed a random moment after it has told of its first page. */
const killProcess = async ({ url, env }: Site, afterMs: number): Promise<void> => {
  const child = spawn(process.execPath, ['--import', 'tsx', program, url, String(PAGE_SIZE)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  let timer: NodeJS.Timeout | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (/^\d/m.test(text)) timer ??= setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  await once(child, 'close');
  clearTimeout(timer);
};

/** To the server it is the same: the connections of a projector end in the middle of whatever it was doing. */
const cutConnections = async (
  { url, schema, kept, parks, storeOn }: Site,
  afterMs: number,
): Promise<void> => {
  const pool = await right(connect(url, { connections: 8 }));
  const sockets = new Set<{ destroy: () => void }>();
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    sockets.add(client.connection.stream);
  });
  const store = storeOn(pool);
  const working = catchUp(pool, schema, kept, { store, parks, pageSize: PAGE_SIZE })();
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, afterMs);
  await working;
  clearTimeout(timer);
  await store.close();
  await pool.end();
};

/** Nothing could be doubled. */
const isEmpty = async (pool: pg.Pool, projection: Projection): Promise<boolean> => {
  const names = projection.tables.map(({ name }) => name).join('\n');
  return (await dumpTables(pool, [projection])).replaceAll('\n\n', '\n').trimEnd() === names;
};

const sites: readonly (readonly [string, () => Promise<Site>])[] = [
  ['PostgreSQL', inPostgres],
  ...eventStoreSites.map((on) => [on.where, () => onEventStoreDb(on)] as const),
];

for (const [where, open] of sites) {
  describe(`field case 34: a checkpoint apart from the work, the history on ${where}`, () => {
    let site: Site;
    before(async () => {
      site = await open();
    });
    after(() => site.drop());

    it('leaves the tables equal to fresh ones, byte for byte, wherever projectors are killed', async function () {
      this.timeout(240_000);
      const { pool, schema, store, kept, parks, all, historyOn } = site;
      const random = randomAppends(34);
      const appendNext = () =>
        appendAll(
          store,
          Array.from({ length: BATCH }, () => random.next()),
        );
      const begun = Date.now();
      let [kills, processes] = [0, 0];
      for (; kills < KILLS && Date.now() - begun < DEADLINE_MS; kills += 1) {
        await appendNext();
        const moment = (kills * 37) % 61;
        if (Date.now() - begun < PROCESSES_MS) {
          await killProcess(site, moment);
          processes += 1;
        } else await cutConnections(site, moment);
      }
      console.log(`      ${processes} processes killed, ${kills - processes} cut off`);
      expect([processes > 2, kills > 20]).to.deep.equal([true, true]);

      await right(catchUp(pool, schema, kept, { store, parks }));
      const survived = await dumpTables(pool, kept);
      const tables = kept.flatMap(liveTables).map((name) => `jobledger.${name}`);
      await pool.query(`TRUNCATE jobledger.checkpoint, ${tables.join(', ')}`);
      await right(catchUp(pool, schema, kept, { store, parks }));
      expect(survived === (await dumpTables(pool, kept))).to.equal(true);
      for (const { name, report } of await right(auditAll(pool, schema, all, historyOn))) {
        expect(report, name).to.have.nested.property('right.equal', true);
      }
    });

    it('refuses to go on without the checkpoint row, and doubles nothing', async () => {
      const { pool, schema, store, kept, parks } = site;
      const before = await dumpTables(pool, kept);
      await pool.query('DELETE FROM jobledger.checkpoint');
      const statuses = await right(catchUp(pool, schema, kept, { store, parks }));
      for (const [n, { name, halt }] of statuses.entries()) {
        const projection = kept[n];
        if (projection === undefined || (await isEmpty(pool, projection))) continue;
        expect(halt, name).to.include(`jobledger rebuild ${name}`);
      }
      expect(await dumpTables(pool, kept)).to.equal(before);
    });
  });
}
