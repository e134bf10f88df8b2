import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import pg from 'pg';
import { audit } from '../../adapters/postgres/audit.js';
import { postgresEventStore } from '../../adapters/postgres/event-store.js';
import { catchUp } from '../../adapters/postgres/projector.js';
import { liveTables } from '../../adapters/postgres/merge.js';
import { SchemaName } from '../../adapters/postgres/schema-name.js';
import { projections } from '../../projections/index.js';
import { appendAll, ledgerDatabase, right, type LedgerDatabase } from '../support/ledger-database.js';
import { randomAppends } from '../support/random-appends.js';
import { dumpTables } from '../support/table-dump.js';

const KILLS = 200;
/** A process takes a second to start: for as long as this processes are killed, then connections are cut. */
const PROCESSES_MS = 15_000;
const DEADLINE_MS = 45_000;
const BATCH = 40;
const PAGE_SIZE = 12;

const kept = projections.filter(({ drive }) => drive === 'catch-up');
const schema = 'jobledger';
if (!SchemaName.is(schema)) throw new Error(schema);
const program = new URL('../support/projecting-process.ts', import.meta.url).pathname;

/** Killed a random moment after it has told of its first page. */
const killProcess = async (url: string, afterMs: number): Promise<void> => {
  const child = spawn(process.execPath, ['--import', 'tsx', program, url, String(PAGE_SIZE)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let timer: NodeJS.Timeout | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (/^\d/m.test(text)) timer ??= setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  await once(child, 'close');
  clearTimeout(timer);
};

/** To the server it is the same: the connections of a projector end in the middle of whatever it was doing. */
const cutConnections = async (url: string, afterMs: number): Promise<void> => {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  const sockets = new Set<{ destroy: () => void }>();
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    sockets.add(client.connection.stream);
  });
  const store = postgresEventStore(pool, { schema });
  const working = catchUp(pool, schema, kept, { store, pageSize: PAGE_SIZE })();
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, afterMs);
  await working;
  clearTimeout(timer);
  await store.close();
  await pool.end();
};

describe('field case 34: a checkpoint apart from the work', () => {
  let ledger: LedgerDatabase;
  before(async () => {
    ledger = await ledgerDatabase();
  });
  after(() => ledger.drop());

  it('leaves the tables equal to fresh ones, byte for byte, wherever projectors are killed', async function () {
    this.timeout(180_000);
    const random = randomAppends(34);
    const appendNext = () =>
      appendAll(
        ledger.store,
        Array.from({ length: BATCH }, () => random.next()),
      );
    const begun = Date.now();
    let [kills, processes] = [0, 0];
    for (; kills < KILLS && Date.now() - begun < DEADLINE_MS; kills += 1) {
      await appendNext();
      const moment = (kills * 37) % 61;
      if (Date.now() - begun < PROCESSES_MS) {
        await killProcess(ledger.url, moment);
        processes += 1;
      } else await cutConnections(ledger.url, moment);
    }
    console.log(`      ${processes} processes killed, ${kills - processes} cut off`);
    expect([processes > 2, kills > 20]).to.deep.equal([true, true]);

    await right(catchUp(ledger.pool, ledger.schema, kept, { store: ledger.store }));
    const survived = await dumpTables(ledger.pool, kept);
    const tables = kept.flatMap(liveTables).map((name) => `jobledger.${name}`);
    await ledger.pool.query(`TRUNCATE jobledger.checkpoint, ${tables.join(', ')}`);
    await right(catchUp(ledger.pool, ledger.schema, kept, { store: ledger.store }));
    expect(survived === (await dumpTables(ledger.pool, kept))).to.equal(true);
    for (const projection of projections) {
      const historyOn = (client: Parameters<typeof postgresEventStore>[0]) =>
        postgresEventStore(client, { schema: ledger.schema });
      const report = await right(audit(ledger.pool, ledger.schema, projection, historyOn));
      expect(report, projection.name).to.include({ equal: true });
    }
  });

  it('refuses to go on without the checkpoint row, and doubles nothing', async () => {
    const before = await dumpTables(ledger.pool, kept);
    await ledger.pool.query('DELETE FROM jobledger.checkpoint');
    const statuses = await right(catchUp(ledger.pool, ledger.schema, kept, { store: ledger.store }));
    for (const { name, halt } of statuses) expect(halt, name).to.include(`jobledger rebuild ${name}`);
    expect(await dumpTables(ledger.pool, kept)).to.equal(before);
  });
});
