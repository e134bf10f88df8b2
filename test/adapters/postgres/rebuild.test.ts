import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { audit } from '../../../adapters/postgres/audit.js';
import { postgresEventStore } from '../../../adapters/postgres/event-store.js';
import { inlineWrites } from '../../../adapters/postgres/inline.js';
import { startProjector } from '../../../adapters/postgres/live-projector.js';
import { catchUp, projectionStatus } from '../../../adapters/postgres/projector.js';
import type { Progress } from '../../../adapters/postgres/step.js';
import { rebuild, type RebuildOptions } from '../../../adapters/postgres/rebuild.js';
import { inlineProjections, projectionNamed, projections } from '../../../projections/index.js';
import { eventually } from '../../support/eventually.js';
import { appendAll, ledgerDatabase, right, type LedgerDatabase } from '../../support/ledger-database.js';
import { randomAppends, uuidOf } from '../../support/random-appends.js';
import { enqueuedAppend, rawEvent } from '../../support/single-append.js';
import { dumpTables } from '../../support/table-dump.js';

const kept = projections.filter(({ drive }) => drive === 'catch-up');
const program = new URL('../../support/projecting-process.ts', import.meta.url).pathname;

const named = (name: string) => {
  const found = projectionNamed(name);
  if (found === undefined) throw new Error(name);
  return found;
};

/** A rebuild in a process of its own, killed when half is done; gives the position it had told of. */
const killedHalfWay = async (url: string, name: string): Promise<bigint> => {
  const child = spawn(process.execPath, ['--import', 'tsx', program, url, '10', name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = '';
  let reached = 0n;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text;
    for (const [, position = '', until = ''] of told.matchAll(/^(\d+) (\d+)$/gm)) {
      reached = BigInt(position);
      if (2n * reached >= BigInt(until)) child.kill('SIGKILL');
    }
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal).to.equal('SIGKILL');
  return reached;
};

describe('rebuild', () => {
  let ledger: LedgerDatabase;
  let random: ReturnType<typeof randomAppends>;
  beforeEach(async () => {
    ledger = await ledgerDatabase();
    random = randomAppends(31);
  });
  afterEach(() => ledger.drop());

  const historyOn = (client: Parameters<typeof postgresEventStore>[0]) =>
    postgresEventStore(client, { schema: ledger.schema });
  const grow = (count: number) =>
    appendAll(
      ledger.store,
      Array.from({ length: count }, () => random.next()),
    );
  const toTheEnd = () => right(catchUp(ledger.pool, ledger.schema, kept, { store: ledger.store }));
  const rebuildOf = (name: string, more: Partial<RebuildOptions> = {}) =>
    rebuild(ledger.pool, ledger.schema, named(name), { store: ledger.store, historyOn, ...more });
  const expectEqual = async (name: string) => {
    const { equal, differences } = await right(audit(ledger.pool, ledger.schema, named(name), historyOn));
    expect(equal, `${name} ${JSON.stringify(differences[0])}`).to.equal(true);
  };
  const count = async (sql: string): Promise<number> =>
    (await ledger.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`)).rows[0]?.n ?? -1;

  it('goes on where it was killed half-way, and the live table is never empty meanwhile', async function () {
    this.timeout(120_000);
    await grow(400);
    await appendAll(
      ledger.store,
      [1, 2, 3, 4, 5].map((n) => enqueuedAppend(`job-${uuidOf(8, n)}`)),
    );
    await toTheEnd();
    await ledger.pool.query(`UPDATE jobledger.job SET job_title = 'damaged'`);
    const damaged = await dumpTables(ledger.pool, [named('job')]);
    const reached = await killedHalfWay(ledger.url, 'job');
    expect(await dumpTables(ledger.pool, [named('job')])).to.equal(damaged);

    const live = startProjector(ledger.pool, ledger.schema, kept, { store: ledger.store, pollMs: 10 });
    let isDone = false;
    let fewest = Infinity;
    const watching = (async () => {
      while (!isDone) fewest = Math.min(fewest, await count('jobledger.job'));
    })();
    const enqueuing = (async () => {
      while (!isDone) await grow(10);
    })();
    const told: bigint[] = [];
    const report = await right(
      rebuildOf('job', { pageSize: 20, onProgress: ({ position }: Progress) => told.push(position) }),
    );
    isDone = true;
    await Promise.all([watching, enqueuing]);
    await live.stop();
    expect(told[0] !== undefined && told[0] >= reached, 'resumed').to.equal(true);
    expect(report.halt).to.equal(undefined);
    expect('different' in report && report.different).to.be.greaterThan(4);
    expect(fewest).to.be.greaterThan(4);
    await toTheEnd();
    await expectEqual('job');
    expect(await count('jobledger_rebuild.checkpoint')).to.equal(0);
  });

  for (const name of ['ready_job', 'duplicate', 'root_job']) {
    it(`mends the inline table ${name} while appends go on`, async () => {
      await grow(300);
      await ledger.pool.query(
        `DELETE FROM jobledger.${name} WHERE job::text < '00000001-0000-7000-8000-000000000040'`,
      );
      let isDone = false;
      const appending = (async () => {
        while (!isDone) await grow(10);
      })();
      const report = await right(rebuildOf(name, { pageSize: 50 }));
      isDone = true;
      await appending;
      expect('missing' in report && report.missing).to.be.greaterThan(0);
      await expectEqual(name);
    });
  }

  it('waits for whoever holds picked rows and appends next, and sends nobody back', async () => {
    await appendAll(
      ledger.store,
      [1, 2, 3, 4, 5].map((n) => enqueuedAppend(`job-${uuidOf(8, n)}`)),
    );
    await ledger.pool.query(`DELETE FROM jobledger.ready_job WHERE job <= '${uuidOf(8, 3)}'`);
    const runner = await ledger.pool.connect();
    let rebuilding;
    try {
      await runner.query('BEGIN');
      await runner.query('SELECT job FROM jobledger.ready_job FOR UPDATE');
      rebuilding = right(rebuildOf('ready_job'));
      await eventually(async () => {
        expect(await count(`pg_locks WHERE NOT granted AND mode = 'ExclusiveLock'`)).to.equal(1);
      });
      const appended = await right(historyAppend(runner, ledger, enqueuedAppend(`job-${uuidOf(9, 1)}`)));
      expect(appended.map(({ _tag }) => _tag)).to.deep.equal(['Right']);
      await runner.query('COMMIT');
    } finally {
      runner.release(true);
    }
    expect(await rebuilding).to.include({ halt: undefined, missing: 3 });
    await expectEqual('ready_job');
  });

  it('stops at an event that cannot be read and leaves the live table as it is; told to park, it goes on', async () => {
    await grow(60);
    await toTheEnd();
    const stream = `job-${uuidOf(9, 2)}`;
    await appendAll(ledger.store, [{ stream, expected: 'no-stream', events: [rawEvent('JobEnqueued', {})] }]);
    await grow(60);
    await toTheEnd();
    const before = await dumpTables(ledger.pool, [named('job')]);
    const halted = await right(rebuildOf('job'));
    expect(halted.halt).to.match(
      new RegExp(`job stopped at position .*${stream}, revision 0.*wiki is missing`),
    );
    expect(await dumpTables(ledger.pool, [named('job')])).to.equal(before);

    expect((await right(rebuildOf('job', { parks: ['job'] }))).halt).to.equal(undefined);
    const status = await right(projectionStatus(ledger.pool, ledger.schema, [named('job')], ledger.store));
    expect(status[0]).to.include({ halt: undefined, parked: 1, behind: 0n });
    await expectEqual('job');
    expect(await count('jobledger.job')).to.be.greaterThan(0);
  });

  it('is done by one at a time', async () => {
    await grow(20);
    const other = await ledger.pool.connect();
    await other.query(`SELECT pg_advisory_lock(27244, hashtext('jobledger.job'))`);
    const refused = await rebuildOf('job')();
    expect(refused)
      .to.have.nested.property('left.message')
      .that.matches(/being rebuilt by another process/);
    await other.query('SELECT pg_advisory_unlock_all()');
    other.release();
    expect((await right(rebuildOf('job'))).halt).to.equal(undefined);
  });
});

const historyAppend = (
  client: Parameters<typeof postgresEventStore>[0],
  { schema }: LedgerDatabase,
  append: ReturnType<typeof enqueuedAppend>,
) => postgresEventStore(client, { schema, inline: inlineWrites(inlineProjections) }).append([append]);
