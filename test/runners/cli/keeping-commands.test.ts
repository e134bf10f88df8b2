// Commands that keep the tables: project, audit, rebuild, migrate; and url and stop.
import { expect } from 'chai';
import { projections } from '../../../projections/index.js';
import { testDatabase, type TestDatabase } from '../../support/postgres.js';
import { commandLine, type Said } from './command-line.js';
import { ids, toldLedger, type ToldLedger } from './told-ledger.js';

const NAMES = projections.map(({ name }) => name);

interface Audited {
  readonly equal: boolean;
  readonly projections: readonly { readonly name: string; readonly equal: boolean; readonly rows: number }[];
}

describe('the keeping commands', () => {
  let told: ToldLedger;
  let jobledger: (...args: readonly string[]) => Promise<Said>;
  const json = async (...args: readonly string[]) => {
    const { status, stdout } = await jobledger(...args, '--json');
    return { status, answer: JSON.parse(stdout) as unknown };
  };

  before(async () => {
    told = await toldLedger();
    jobledger = commandLine({ JOBLEDGER_DATABASE_URL: told.url });
  });
  after(() => told.drop());

  it('project --until-caught-up ends with every table up to date, and project status says so', async () => {
    const behind = (await json('project', 'status')).answer as { behind: string }[];
    expect(behind.every((table) => BigInt(table.behind) > 0n)).to.equal(true);
    const caughtUp = await jobledger('project', '--until-caught-up');
    expect(caughtUp.status).to.equal(0);
    expect(caughtUp.stdout).to.match(/^job +\d+ +0 +0 +up to date$/m);
    const statuses = (await json('project', 'status')).answer as { name: string; behind: string }[];
    expect(statuses.filter(({ behind: left }) => left !== '0').map(({ name }) => name)).to.deep.equal([
      'claimed_job',
    ]);
  });

  it('project keeps the tables until it is told to stop', async () => {
    const stop = new AbortController();
    const keeping = commandLine({ JOBLEDGER_DATABASE_URL: told.url }, () => stop.signal)('project');
    stop.abort();
    const said = await keeping;
    expect(said.status).to.equal(0);
    expect(said.stderr).to.match(/^keeping job, .*; Ctrl-C ends it$/m);
  });

  it('audit answers equal for every table, or for those named', async () => {
    const { status, answer } = await json('audit');
    expect(status).to.equal(0);
    const { equal, projections: audited } = answer as Audited;
    expect(equal).to.equal(true);
    expect(audited.map(({ name }) => name)).to.deep.equal(NAMES);
    expect(audited[0]).to.deep.include({ equal: true, rows: 2, missing: 0, extra: 0, different: 0 });
    const named = await jobledger('audit', 'queue_summary', 'delayed_job');
    expect(named.stdout).to.equal('ready_job: equal (2 rows)\nqueue_summary: equal (3 rows)\n');
  });

  it('audit names each difference and ends with status 1; rebuild puts it right', async () => {
    const { pool } = told.ledger;
    await pool.query(`UPDATE jobledger.job SET job_title = 'Altered' WHERE job_uuid = $1`, [ids.waiting]);
    await pool.query(`DELETE FROM jobledger.ready_job WHERE job = $1`, [ids.waiting]);
    await pool.query(`UPDATE jobledger.queue_summary SET failed = failed + 1 WHERE type = 'sendMail'`);

    const { status, answer } = await json('audit');
    expect(status).to.equal(1);
    const { equal, projections: audited } = answer as Audited;
    expect(equal).to.equal(false);
    expect(audited.filter((each) => !each.equal).map(({ name }) => name)).to.deep.equal([
      'ready_job',
      'job',
      'queue_summary',
    ]);
    const said = await jobledger('audit', 'job', 'ready_job');
    expect(said.stdout).to.include(
      `  job: the row of job_uuid ${ids.waiting} differs: job_title is "Altered", history says ""\n`,
    );
    expect(said.stdout).to.include(`  ready_job: the row of job ${ids.waiting} is missing\n`);
    expect(said.stderr).to.include(
      'jobledger: not equal to the history: ready_job, job; "jobledger rebuild ready_job job" puts that right\n',
    );

    const rebuilt = await jobledger('rebuild');
    expect(rebuilt.status).to.equal(0);
    expect(rebuilt.stdout).to.match(/^job: rebuilt to position \d+; 1 row was put right:$/m);
    expect(rebuilt.stdout).to.match(/^root_job: rebuilt to position \d+; it was right already$/m);
    expect((await json('audit')).status).to.equal(0);
  });

  it('a table that cannot be brought up to date is shown as it stands, with status 3, until it is rebuilt', async () => {
    const { pool } = told.ledger;
    await pool.query(`UPDATE jobledger.checkpoint SET version = 99 WHERE projection = 'queue_summary'`);
    const said = await jobledger('queues', '--json');
    expect(said.status).to.equal(3);
    expect(JSON.parse(said.stdout)).to.have.length(2);
    expect(said.stderr).to.equal(
      'jobledger: what is shown is not up to date: queue_summary was kept by version 99 of its projection, this is version 1: run "jobledger rebuild queue_summary"\n',
    );
    expect((await jobledger('project', '--until-caught-up')).status).to.equal(3);
    expect((await jobledger('audit', 'queue_summary')).status).to.equal(3);
    expect((await jobledger('rebuild', 'queue_summary')).status).to.equal(0);
    expect((await jobledger('queues')).status).to.equal(0);
  });

  it('rebuild does not call a table wrong that was only behind', async () => {
    expect((await jobledger('enqueue', 'sendMail')).status).to.equal(0);
    const { stdout } = await jobledger('rebuild', 'job', 'queue_summary');
    expect(stdout.match(/it was right already$/gm)).to.have.length(2);
  });

  it('audit and rebuild know the names of the tables', async () => {
    for (const command of ['audit', 'rebuild']) {
      const said = await jobledger(command, 'queue_sumary');
      expect(said.status).to.equal(2);
      expect(said.stderr).to.match(
        /^jobledger: unknown projection "queue_sumary"; did you mean "queue_summary"\?/,
      );
    }
  });

  it('url gives the URL, whole, for other programs', async () => {
    expect((await jobledger('url')).stdout).to.equal(`${told.url}\n`);
    expect((await json('url')).answer).to.deep.equal({ url: told.url, schema: 'jobledger', embedded: false });
  });

  it('stop leaves a server of the user alone, and says when there is nothing to stop', async () => {
    expect((await jobledger('stop')).stdout).to.match(
      /^nothing to stop: the ledger is on a PostgreSQL server of your own/,
    );
    const none = commandLine({ JOBLEDGER_HOME: 'a-folder-that-is-not-there' });
    expect((await none('stop')).stdout).to.match(/^nothing to stop: no embedded PostgreSQL is running in/);
    expect(JSON.parse((await none('stop', '--json')).stdout)).to.deep.equal({ stopped: false });
  });

  describe('migrate', () => {
    let database: TestDatabase;
    before(async () => {
      database = await testDatabase();
    });
    after(() => database.drop());

    it('prints the SQL without running it, then runs it, then has nothing to do', async () => {
      const onEmpty = commandLine({ JOBLEDGER_DATABASE_URL: database.url, JOBLEDGER_SCHEMA: 'other' });
      const plan = await onEmpty('migrate', '--plan');
      expect(plan.status).to.equal(0);
      expect(plan.stdout).to.match(/^BEGIN;\nCREATE SCHEMA IF NOT EXISTS "other";/);
      expect((await onEmpty('migrate', '--plan')).stdout).to.equal(plan.stdout);
      expect((await onEmpty('migrate')).stdout).to.match(
        /^schema other is up to date: migrations 0 to \d+ \(/,
      );
      expect((await onEmpty('migrate')).stdout).to.match(/^schema other is up to date \(migration \d+\)$/m);
      const nothing = await onEmpty('migrate', '--plan');
      expect(nothing.stdout).to.equal('');
      expect(nothing.stderr).to.equal('schema other is up to date: there is nothing to run\n');
    });
  });
});
