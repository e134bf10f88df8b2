import { expect } from 'chai';
import { advance, openTrack } from '../../../adapters/postgres/advance.js';
import { audit } from '../../../adapters/postgres/audit.js';
import { postgresEventStore } from '../../../adapters/postgres/event-store.js';
import { startProjector } from '../../../adapters/postgres/live-projector.js';
import {
  catchUp,
  projectionStatus,
  untilCaughtUp,
  type ProjectionStatus,
} from '../../../adapters/postgres/projector.js';
import { decodeOnce } from '../../../adapters/postgres/fold-page.js';
import { livePlace } from '../../../adapters/postgres/sink.js';
import { until } from '../../support/waiting.js';
import { claimedJob } from '../../../projections/claimed-job.js';
import { executionLog } from '../../../projections/execution-log.js';
import { catchUpProjections, projections } from '../../../projections/index.js';
import { jobProjection } from '../../../projections/job-table.js';
import { liveTables } from '../../../adapters/postgres/merge.js';
import type { Progress } from '../../../adapters/postgres/step.js';
import { queueSummary } from '../../../projections/queue-summary.js';
import { eventually } from '../../support/eventually.js';
import { appendAll, ledgerDatabase, right, type LedgerDatabase } from '../../support/ledger-database.js';
import { randomAppends, uuidOf } from '../../support/random-appends.js';
import { enqueuedAppend, rawEvent } from '../../support/single-append.js';
import { dumpTables } from '../../support/table-dump.js';

const kept = projections.filter(({ drive }) => drive === 'catch-up');

const appendsOf = (seed: number, count: number, run = 1) => {
  const random = randomAppends(seed, run);
  return Array.from({ length: count }, () => random.next());
};

describe('the projector', () => {
  let ledger: LedgerDatabase;
  beforeEach(async () => {
    ledger = await ledgerDatabase();
  });
  afterEach(() => ledger.drop());

  const options = (more: object = {}) => ({ store: ledger.store, ...more });
  const toTheEnd = (more: object = {}) => right(catchUp(ledger.pool, ledger.schema, kept, options(more)));
  const auditOf = (projection: (typeof projections)[number]) =>
    right(
      audit(ledger.pool, ledger.schema, projection, (client) =>
        postgresEventStore(client, { schema: ledger.schema }),
      ),
    );
  const expectEqual = async () => {
    for (const projection of projections) {
      const { equal, differences } = await auditOf(projection);
      expect(equal, `${projection.name} ${JSON.stringify(differences[0])}`).to.equal(true);
    }
  };
  const empty = async () => {
    const tables = kept.flatMap(liveTables).map((name) => `jobledger.${name}`);
    await ledger.pool.query(`TRUNCATE jobledger.checkpoint, ${tables.join(', ')}`);
  };
  const statusOf = (all: readonly ProjectionStatus[], name: string) => all.find((each) => each.name === name);

  it('gives the same tables, byte for byte, whatever the size of its pages', async () => {
    await appendAll(ledger.store, appendsOf(11, 160));
    const dumps = new Set<string>();
    for (const pageSize of [1, 7, 5_000]) {
      await toTheEnd({ pageSize });
      dumps.add(await dumpTables(ledger.pool, kept));
      await empty();
    }
    expect(dumps.size).to.equal(1);
    expect([...dumps][0]?.length).to.be.greaterThan(5_000);
  });

  it('goes on where it was, and agrees with the history after every step', async () => {
    const appends = appendsOf(12, 400);
    for (let from = 0; from < appends.length; from += 100) {
      await appendAll(ledger.store, appends.slice(from, from + 100));
      const after = await toTheEnd({ pageSize: 40 });
      expect(after.map(({ behind, halt }) => ({ behind, halt }))).to.deep.equal(
        kept.map(() => ({ behind: 0n, halt: undefined })),
      );
    }
    await expectEqual();
  });

  it('never doubles anything, though three of them work at once', async () => {
    const [first, second] = [appendsOf(13, 300, 1), appendsOf(14, 300, 2)];
    const live = [1, 2].map(() =>
      startProjector(ledger.pool, ledger.schema, kept, options({ pageSize: 20, pollMs: 5 })),
    );
    await Promise.all([
      appendAll(ledger.store, first, 20),
      appendAll(ledger.store, second, 20),
      toTheEnd({ pageSize: 10 }),
    ]);
    await toTheEnd({ pageSize: 10 });
    await Promise.all(live.map((projector) => projector.stop()));
    await expectEqual();
  });

  it('wakes up when something is appended, and stops when told', async () => {
    let wake: () => void = () => undefined;
    const projector = startProjector(
      ledger.pool,
      ledger.schema,
      [jobProjection],
      options({
        pollMs: 3_600_000,
        wake: (onWake: () => void) => {
          wake = onWake;
          return { stop: () => Promise.resolve() };
        },
      }),
    );
    await eventually(async () => {
      expect((await right(projector.status()))[0]?.behind).to.equal(0n);
    });
    await appendAll(ledger.store, [enqueuedAppend(`job-${uuidOf(1, 1)}`)]);
    wake();
    await eventually(async () => {
      const [status] = await right(projector.status());
      expect(status).to.include({ behind: 0n, position: 1n });
    });
    await projector.stop();
  });

  it('does not let a table at the end of history wait for one that is made from its beginning', async () => {
    await appendAll(ledger.store, appendsOf(15, 200));
    await right(catchUp(ledger.pool, ledger.schema, [executionLog], options()));
    const old = await right(ledger.store.end());
    const told: { readonly name: string; readonly position: bigint }[] = [];
    let appended: Promise<unknown> | undefined;
    const projector = startProjector(
      ledger.pool,
      ledger.schema,
      [jobProjection, executionLog],
      options({
        pageSize: 1,
        pollMs: 5,
        onProgress: ({ name, position }: Progress) => {
          told.push({ name, position });
          appended ??= appendAll(ledger.store, [enqueuedAppend(`job-${uuidOf(15, 1)}`)]);
        },
      }),
    );
    await eventually(async () => {
      expect((await right(projector.status())).every(({ position }) => position > old)).to.equal(true);
    });
    await appended;
    await projector.stop();
    const atEnd = told.findIndex(({ name, position }) => name === executionLog.name && position > old);
    const lastBefore = told.findLastIndex(
      ({ name, position }) => name === jobProjection.name && position <= old,
    );
    expect(atEnd).to.be.within(0, lastBefore);
  });

  it('applies no page again that was read before the checkpoint moved, though the same process has moved it', async () => {
    await appendAll(ledger.store, appendsOf(16, 40));
    const place = livePlace(ledger.schema);
    const track = await openTrack(ledger.pool, queueSummary, place, { parks: false, before: undefined });
    const pageOf = (limit: number) =>
      right(ledger.store.readAll({ after: 0n, types: queueSummary.handles, limit }));
    const [short, long] = [await pageOf(10), await pageOf(30)];
    expect(await advance(ledger.pool, track, 0n, short, decodeOnce())).to.equal('moved');
    expect(await advance(ledger.pool, track, 0n, long, decodeOnce())).to.equal('overtaken');
    await right(catchUp(ledger.pool, ledger.schema, [queueSummary], options()));
    expect((await auditOf(queueSummary)).equal).to.equal(true);
  });

  it('takes the others on where one table is held up by a lock, and that one as soon as it is free', async () => {
    await appendAll(ledger.store, appendsOf(17, 40));
    const projector = startProjector(ledger.pool, ledger.schema, kept, options({ pollMs: 5 }));
    const reached = async (position: bigint, name?: string) =>
      (await right(projector.status())).every(
        (status) => status.position >= position || status.name === name,
      );
    await until('all tables are at the end', async () => reached(await right(ledger.store.end())));
    const holder = await ledger.pool.connect();
    await holder.query(
      `BEGIN; SELECT FROM jobledger.checkpoint WHERE projection = '${jobProjection.name}' FOR UPDATE`,
    );
    for (let run = 2; run < 4; run += 1) {
      await appendAll(ledger.store, appendsOf(17, 40, run));
      const end = await right(ledger.store.end());
      await until('the others are at the end', () => reached(end, jobProjection.name));
      expect(await reached(end)).to.equal(false);
    }
    await holder.query('COMMIT');
    holder.release();
    await until('all tables are', async () => reached(await right(ledger.store.end())));
    await projector.stop();
    await expectEqual();
  });

  it('goes on after it has lost its connections', async () => {
    const failures: string[] = [];
    const projector = startProjector(
      ledger.pool,
      ledger.schema,
      kept,
      options({ pollMs: 5, onError: ({ _tag }: { _tag: string }) => failures.push(_tag) }),
    );
    for (let round = 0; round < 5; round += 1) {
      await appendAll(ledger.store, [enqueuedAppend(`job-${uuidOf(2, round)}`)]);
      await ledger.pool
        .query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
        .catch(() => undefined);
    }
    await eventually(async () => {
      const all = await right(projector.status());
      expect(all.map(({ position, behind }) => ({ position, behind }))).to.deep.equal(
        kept.map(() => ({ position: 5n, behind: 0n })),
      );
    });
    await projector.stop();
    expect(failures.every((tag) => tag === 'Unavailable')).to.equal(true);
    await expectEqual();
  });

  it('refuses to go on where rows are there and the checkpoint is not, and says what helps', async () => {
    await appendAll(ledger.store, appendsOf(15, 60));
    await toTheEnd();
    const before = await dumpTables(ledger.pool, kept);
    await ledger.pool.query(`DELETE FROM jobledger.checkpoint WHERE projection = 'queue_summary'`);
    await appendAll(ledger.store, [enqueuedAppend(`job-${uuidOf(3, 1)}`)]);
    const after = await right(catchUp(ledger.pool, ledger.schema, [queueSummary], options()));
    expect(after[0]?.halt).to.match(
      /queue_summary has rows but no checkpoint.*jobledger rebuild queue_summary/,
    );
    expect(await dumpTables(ledger.pool, kept)).to.equal(before);
  });

  it('refuses a table that another version of the projection has kept', async () => {
    await toTheEnd();
    await ledger.pool.query(`UPDATE jobledger.checkpoint SET version = 7 WHERE projection = 'job'`);
    await appendAll(ledger.store, [enqueuedAppend(`job-${uuidOf(4, 1)}`)]);
    const after = await toTheEnd();
    expect(statusOf(after, 'job')?.halt).to.match(
      new RegExp(`version 7.*version ${jobProjection.version}.*jobledger rebuild job`),
    );
    expect(statusOf(after, 'queue_summary')).to.include({ behind: 0n, halt: undefined });
  });

  it('stops only the projections that a flawed event concerns, right before it, and says where and why', async () => {
    await appendAll(ledger.store, [
      enqueuedAppend(`job-${uuidOf(5, 1)}`),
      enqueuedAppend(`job-${uuidOf(5, 2)}`),
    ]);
    const poisoned = `job-${uuidOf(5, 3)}`;
    await appendAll(ledger.store, [
      { stream: poisoned, expected: 'no-stream', events: [rawEvent('JobEnqueued', {})] },
    ]);
    await appendAll(ledger.store, [enqueuedAppend(`job-${uuidOf(5, 4)}`)]);
    await toTheEnd();
    const all = await right(projectionStatus(ledger.pool, ledger.schema, kept, ledger.store));
    for (const name of ['job', 'job_status_trace_log', 'queue_summary']) {
      const status = statusOf(all, name);
      expect(status?.position, name).to.equal(2n);
      expect(status?.halt, name).to.match(
        new RegExp(`^${name} stopped at position 3 .*${poisoned}, revision 0.*wiki is missing`),
      );
    }
    for (const name of ['job_execution_log', 'claimed_job']) {
      expect(statusOf(all, name), name).to.include({ behind: 0n, halt: undefined });
    }
    const { rows } = await ledger.pool.query('SELECT count(*)::int AS jobs FROM jobledger.job');
    expect(rows).to.deep.equal([{ jobs: 2 }]);
    await expectEqual();
  });

  it('parks a flawed event and goes on, where it is told to', async () => {
    const stream = `job-${uuidOf(6, 1)}`;
    await appendAll(ledger.store, [enqueuedAppend(`job-${uuidOf(6, 2)}`)]);
    await appendAll(ledger.store, [
      { stream, expected: 'no-stream', events: [rawEvent('JobClaimed', { wiki: 'w' })] },
    ]);
    await appendAll(ledger.store, [enqueuedAppend(`job-${uuidOf(6, 3)}`)]);
    const after = await toTheEnd({ parks: ['claimed_job', 'job'] });
    expect(statusOf(after, 'claimed_job')).to.include({ behind: 0n, halt: undefined, parked: 1 });
    expect(statusOf(after, 'job')).to.include({ behind: 0n, parked: 1 });
    expect(statusOf(after, 'queue_summary')?.halt).to.match(/stopped at position 2/);
    const { rows } = await ledger.pool.query(
      `SELECT projection, position::int, stream, revision::int FROM jobledger.parked ORDER BY 1`,
    );
    expect(rows).to.deep.equal([
      { projection: 'claimed_job', position: 2, stream, revision: 0 },
      { projection: 'job', position: 2, stream, revision: 0 },
    ]);
    expect((await auditOf(claimedJob)).equal && (await auditOf(jobProjection)).equal).to.equal(true);
  });

  it('finds the one event of a page whose row the database refuses', async () => {
    const number = 1_000_000n;
    await appendAll(ledger.store, [
      ...Array.from({ length: 20 }, (_, n) =>
        enqueuedAppend(`job-${uuidOf(7, n)}`, { number: String(number + BigInt(n)) }),
      ),
      enqueuedAppend(`job-${uuidOf(7, 20)}`, { number: String(number + 4n) }),
      enqueuedAppend(`job-${uuidOf(7, 21)}`),
    ]);
    const { rows: twins } = await ledger.pool.query<{ position: string }>(
      `SELECT position FROM jobledger.event WHERE stream IN ($1, $2) ORDER BY position`,
      [`job-${uuidOf(7, 4)}`, `job-${uuidOf(7, 20)}`],
    );
    const after = await toTheEnd();
    expect(statusOf(after, 'job')?.halt).to.match(
      new RegExp(`stopped at position ${twins[1]?.position} .*job_id`),
    );
    const { rows } = await ledger.pool.query('SELECT count(*)::int AS jobs FROM jobledger.job');
    expect(rows).to.deep.equal([{ jobs: 20 }]);
  });

  it('takes no notice of a column that comes and goes while it works (field case 27)', async () => {
    const projector = startProjector(ledger.pool, ledger.schema, kept, options({ pollMs: 5, pageSize: 10 }));
    for (let round = 0; round < 4; round += 1) {
      const column = round % 2 === 0 ? 'ADD COLUMN x integer' : 'DROP COLUMN x';
      for (const table of ['job', 'ready_job', 'claimed_job']) {
        await ledger.pool.query(`ALTER TABLE jobledger.${table} ${column}`);
      }
      await appendAll(ledger.store, appendsOf(18 + round, 20, 10 + round));
      await eventually(async () => {
        const all = await right(projector.status());
        expect(all.map(({ behind, halt }) => [behind, halt])).to.deep.equal(kept.map(() => [0n, undefined]));
      });
    }
    await projector.stop();
    await expectEqual();
  });

  it('brings the tables that a reader needs to where the history was when it asked', async () => {
    await appendAll(ledger.store, appendsOf(16, 100));
    const target = await right(ledger.store.end());
    await appendAll(ledger.store, appendsOf(17, 30, 2));
    const [status] = await right(
      untilCaughtUp(ledger.pool, ledger.schema, [executionLog], target, options({ pageSize: 9 })),
    );
    expect(status?.position && status.position >= target).to.equal(true);
    expect(catchUpProjections.map(({ name }) => name)).to.not.include('claimed_job');
  });
});
