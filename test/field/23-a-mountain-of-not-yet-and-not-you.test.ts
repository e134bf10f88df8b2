// Field case 23: what cannot be taken costs the pick nothing: delayed jobs, abandoned ones, other types, emptied queues, dead rows.
import { expect } from 'chai';
import pg from 'pg';
import { pickRows } from '../../adapters/postgres/pick.js';
import type { Queryable } from '../../adapters/postgres/statement.js';
import type { ReadyQueue } from '../../projections/ports.js';
import { lowWater } from '../../runners/worker/low-water.js';
import { isLarge } from '../support/large.js';
import { right } from '../support/ledger-database.js';
import { rowsTouched } from '../support/rows-touched.js';
import { testLedger, type TestLedger } from '../support/ledger.js';

const percentile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;

const EVERYTHING = { types: undefined, wikis: undefined };

describe('field case 23: a mountain of not-yet and not-you', function () {
  this.timeout(900_000);
  let opened: TestLedger | undefined;
  afterEach(async () => {
    await opened?.drop();
    opened = undefined;
  });

  const current = (): TestLedger => opened ?? expect.fail('no ledger is open');
  /** On a connection of its own: the ledger's give up what takes long. */
  const run = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: current().url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const COLUMNS = 'job, wiki, type, class, priority, number, due, revision';
  /** Rows n of queues `wiki-…`/`type-…`, of which there are 10,000. */
  const rows = (from: number, to: number, due: string, queue = 'n % 10000') => `
    SELECT gen_random_uuid(), 'wiki-' || (${queue}) / 20, 'type-' || (${queue}) % 20, 3, 0, n, ${due}, 0
    FROM generate_series(${from}, ${to}) AS n`;

  const mountain = async (delayed: number, abandoned: number): Promise<void> => {
    opened = await testLedger();
    await run(
      `INSERT INTO jobledger.delayed_job (${COLUMNS}) ${rows(1, delayed, `now() + interval '1 day'`)}`,
    );
    await run(`
      INSERT INTO jobledger.job (job_id, job_cmd, job_namespace, job_title, job_params, job_uuid, job_wiki, job_revision, job_class,
        job_priority, job_state)
      SELECT n, 'type-' || n % 20, 0, '', '', gen_random_uuid(), 'wiki-' || n % 500, 3, 'normal', 0, 'Abandoned'
      FROM generate_series(1, ${abandoned}) AS n`);
    await run(`INSERT INTO jobledger.ready_job (${COLUMNS}) ${rows(1, 1_000, 'NULL', '(n * 7) % 10000')}`);
  };

  const touchedByPick = async (queue: ReadyQueue): Promise<number> => {
    let touched = NaN;
    const explaining = {
      query: async (statement: { text: string; values: unknown[] }) => {
        touched = await rowsTouched(current().pool, statement);
        return { rows: [] };
      },
    };
    await pickRows(current().schema)(explaining as unknown as Queryable, [{ queue, limit: 1 }], false);
    return touched;
  };

  /** Picks of one job each, by turns from all queues that are ready; the row goes as a claim would take it. */
  const pickOneByOne = async (picks: number) => {
    const times: number[] = [];
    const marks = lowWater();
    let queues: readonly ReadyQueue[] = [];
    for (let n = 0; n < picks; n += 1) {
      const asked = performance.now();
      if (n % 200 === 0) queues = await right(current().claimDesk.readyQueues(EVERYTHING));
      const queue = queues[n % queues.length] ?? expect.fail('nothing is ready');
      const pick = [{ queue, limit: 1, from: marks.from(queue) }];
      await right(
        current().claimDesk.withPicked(pick, async (session) => {
          marks.learn(pick, session.picked, session.pickMs);
          await session.dropStale(session.picked.map(({ jobId }) => jobId))();
        }),
      );
      times.push(performance.now() - asked);
    }
    return { median: percentile(times, 0.5), p95: percentile(times, 0.95) };
  };

  const tell = (what: string, { median, p95 }: { median: number; p95: number }): void =>
    console.log(`      ${what}: median ${median.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);

  it('touches fewer than 200 rows for a pick among 100,000 delayed, 50,000 abandoned and 10,000 queues', async () => {
    await mountain(100_000, 50_000);
    const queues = await right(current().claimDesk.readyQueues(EVERYTHING));
    expect(queues).to.have.lengthOf(1_000);
    const [queue] = queues;
    if (queue === undefined) return;
    for (const order of ['fifo', 'timestamp', 'random'] as const) {
      expect(await touchedByPick({ ...queue, order }), order).to.be.below(200);
    }
    tell('a pick', await pickOneByOne(400));
  });

  it('finds what is ready without looking at what is behind the first job of each queue', async () => {
    await mountain(1_000, 0);
    await run(`INSERT INTO jobledger.ready_job (${COLUMNS}) ${rows(2_000, 60_000, 'NULL', '1')}`);
    expect(await right(current().claimDesk.readyQueues(EVERYTHING))).to.have.lengthOf.within(1_000, 1_001);
    const typed = await right(current().claimDesk.readyQueues({ types: ['type-1'], wikis: undefined }));
    expect(typed.every(({ type }) => type === 'type-1')).to.equal(true);
  });

  it('takes at scale a median under 5 ms and a p95 under 20 ms, over dead rows and under an old snapshot too', async function () {
    if (!isLarge(this, 'a pick among 1,000,000 delayed jobs')) return;
    await mountain(1_000_000, 50_000);
    const clean = await pickOneByOne(400);
    tell('clean', clean);
    await run('ALTER TABLE jobledger.ready_job SET (autovacuum_enabled = false)');
    const head = (from: number) =>
      run(`INSERT INTO jobledger.ready_job (${COLUMNS}) ${rows(from, from + 499_999, 'NULL', '3')}`);
    await head(-1_000_000);
    await run('DELETE FROM jobledger.ready_job WHERE number < 0');
    await run(`INSERT INTO jobledger.ready_job (${COLUMNS}) ${rows(2_000_000, 2_003_000, 'NULL', '3')}`);
    const dead = await pickOneByOne(400);
    tell('behind 500,000 deletes', dead);
    const old = new pg.Client({ connectionString: current().url });
    await old.connect();
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM jobledger.queue');
    await head(-600_000);
    await run('DELETE FROM jobledger.ready_job WHERE number < 0');
    const held = await pickOneByOne(400);
    tell('and under an old snapshot', held);
    await old.query('ROLLBACK');
    await old.end();
    for (const { median, p95 } of [clean, dead, held]) {
      expect(median).to.be.below(5);
      expect(p95).to.be.below(20);
    }
  });

  it('reads which of 1,000 wikis and 20 types are ready in one step each among 1,000,000 jobs', async function () {
    if (!isLarge(this, 'reading what is ready among 1,000,000 jobs')) return;
    opened = await testLedger();
    await run(`INSERT INTO jobledger.ready_job (${COLUMNS})
      SELECT gen_random_uuid(), 'wiki-' || n % 1000, 'type-' || n / 1000 % 20, 3, 0, n, NULL, 0 FROM generate_series(1, 1000000) AS n`);
    const asked = performance.now();
    expect(await right(current().claimDesk.readyQueues(EVERYTHING))).to.have.lengthOf(20_000);
    const all = performance.now() - asked;
    const typed = performance.now();
    await right(current().claimDesk.readyQueues({ types: ['type-7'], wikis: undefined }));
    console.log(
      `      20,000 queues: ${all.toFixed(0)} ms; of one type: ${(performance.now() - typed).toFixed(0)} ms`,
    );
  });
});
