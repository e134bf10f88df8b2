// The main job, whole: what it prints comes from the ledger, adds up, and can be looked up again.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { projections } from '../../../projections/index.js';
import pg from 'pg';
import { commandLine, type Said } from '../cli/command-line.js';
import { testDatabase, type TestDatabase } from '../../support/postgres.js';

interface Queue {
  readonly type: string;
  readonly enqueued: number;
  readonly suppressed: number;
  readonly superseded: number;
  readonly succeeded: number;
  readonly retried: number;
  readonly abandoned: number;
  readonly waiting: number;
  readonly claimed: number;
}

interface Report {
  readonly schema: string;
  readonly addsUp: boolean;
  readonly queues: readonly Queue[];
  readonly total: Queue;
  readonly audited: { readonly tables: number; readonly unequal: readonly string[] };
  readonly tryNext: readonly { readonly command: string }[];
}

describe('jobledger demo', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let home: string;
  let jobledger: ReturnType<typeof commandLine>;
  before(async () => {
    database = await testDatabase();
    home = mkdtempSync(join(tmpdir(), 'jobledger-demo-'));
    jobledger = commandLine({ JOBLEDGER_DATABASE_URL: database.url, JOBLEDGER_HOME: home });
  });
  after(async () => {
    rmSync(home, { recursive: true });
    await database.drop();
  });

  const query = async (sql: string): Promise<readonly unknown[][]> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows;
    } finally {
      await client.end();
    }
  };

  let report: Report;

  it('works off a real job table, and its numbers add up', async () => {
    const { status, stdout } = await jobledger('demo', '--json');
    expect(status).to.equal(0);
    report = JSON.parse(stdout) as Report;
    expect(report).to.include({ schema: 'jobledger_demo', addsUp: true });
    expect(report.audited).to.deep.include({ tables: projections.length, unequal: [] });
    expect(report.queues).to.have.length(21);
    const { total } = report;
    // The 4,863 rows, one asked for twice, and two that jobs of the table made.
    expect(total).to.include({ enqueued: 4_866, suppressed: 1, abandoned: 4, waiting: 1 });
    expect(total.succeeded + total.superseded + total.claimed).to.equal(4_866 - 4 - 1);
  });

  const queue = (type: string): Queue => {
    const found = report.queues.find((candidate) => candidate.type === type);
    if (found === undefined) throw new Error(`no queue ${type}`);
    return found;
  };

  it('drops the 601 leaves that stand behind a newer root of their family', () => {
    const { superseded, succeeded, claimed } = queue('refreshLinks');
    expect(superseded + claimed).to.be.within(601, 606);
    expect(superseded + succeeded + claimed).to.equal(779);
  });

  it('has one type that fails at first, one job that is abandoned, and one type that nobody knows', () => {
    expect(queue('enotifNotify')).to.include({ enqueued: 130, succeeded: 130, retried: 130 });
    expect(queue('cdnPurge')).to.include({ enqueued: 1, abandoned: 1, retried: 2 });
    expect(queue('noSuchJobType')).to.include({ enqueued: 1, waiting: 1, succeeded: 0 });
    expect(queue('refreshLinksPrioritized')).to.include({ enqueued: 6, succeeded: 3, abandoned: 3 });
  });

  it('says of each queue what the history says', async () => {
    const counted =
      'JobEnqueued DuplicateSuppressed JobSuperseded AttemptSucceeded RetryScheduled JobAbandoned'.split(' ');
    const counts = counted.map((type) => `count(*) FILTER (WHERE type = '${type}')::integer`).join(', ');
    const rows = await query(
      `SELECT data->>'type', ${counts} FROM jobledger_demo.event
       WHERE stream LIKE 'job-%' GROUP BY data->>'type' ORDER BY (data->>'type') COLLATE "C"`,
    );
    const told = report.queues.map(
      ({ type, enqueued, suppressed, superseded, succeeded, retried, abandoned }) => [
        type,
        enqueued,
        suppressed,
        superseded,
        succeeded,
        retried,
        abandoned,
      ],
    );
    expect(rows).to.deep.equal(told);
  });

  it('leaves a line for each job that was done', () => {
    const lines = readdirSync(join(home, 'demo')).flatMap((file) =>
      readFileSync(join(home, 'demo', file), 'utf8')
        .trimEnd()
        .split('\n'),
    );
    expect(lines).to.have.length(report.total.succeeded);
  });

  it('names commands that show what they promise', async () => {
    const shown = (command: string): Promise<Said> => jobledger(...command.split(' ').slice(2));
    expect(report.tryNext).to.have.length(3);
    const [history, explanation, job] = await Promise.all(
      report.tryNext.map(({ command }) => shown(command)),
    );
    expect(history?.stdout).to.include('AttemptFailed').and.include('AttemptSucceeded');
    expect(explanation?.stdout).to.include('"refreshLinks"').and.include('newer-root');
    expect(job?.stdout).to.match(/^state +Abandoned$/m);
  });

  it('can be run again, begins afresh, tells the same for people, and touches no other schema', async () => {
    await query('CREATE SCHEMA bystander');
    const { status, stdout } = await jobledger('demo');
    expect(status).to.equal(0);
    const { total } = report;
    const ends = (['succeeded', 'superseded', 'abandoned', 'waiting', 'claimed'] as const).map(
      (end) => `${total[end]} ${end}`,
    );
    expect(stdout).to.include(`4866 enqueued = ${ends.join(' + ')}: it adds up`);
    expect(stdout)
      .to.match(/^import +4863 jobs/m)
      .and.to.match(new RegExp(`^audit +${projections.length} tables with \\d+ rows equal the history`, 'm'));
    expect(stdout)
      .to.match(/\d+ jobs a second/)
      .and.to.include('npx jobledger history ');
    const schemas = await query(
      `SELECT nspname FROM pg_namespace WHERE nspname ~ 'jobledger|bystander' ORDER BY 1`,
    );
    expect(schemas.flat()).to.deep.equal(['bystander', 'jobledger_demo', 'jobledger_demo_elasticjob_ui']);
  });

  it('lets no second demo take its tables away', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(`SELECT pg_advisory_lock(hashtextextended('demo jobledger_demo', 27244))`);
      const { status, stderr } = await jobledger('demo');
      expect(status).to.equal(3);
      expect(stderr).to.equal(
        'jobledger: another demo is at work in the schema jobledger_demo; wait for its end\n',
      );
    } finally {
      await client.end();
    }
    expect(existsSync(join(home, 'demo', 'outbox.txt'))).to.equal(true);
  });
});
