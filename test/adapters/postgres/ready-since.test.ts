// The migration that brought `since` fills the rows that are there as the history would have filled them.
import { expect } from 'chai';
import { audit } from '../../../adapters/postgres/audit.js';
import { readMigrations } from '../../../adapters/postgres/migrations.js';
import { inSchema } from '../../../adapters/postgres/schema-name.js';
import type { JobCommand } from '../../../domain/job/commands.js';
import { jobStream } from '../../../domain/ledger.js';
import { readyJob } from '../../../projections/ready-job.js';
import { storyOf } from '../../runners/reading/recorded-story.js';
import { at, cancel, claim, enqueue, fail, release, requeue, start } from '../../support/given-commands.js';
import { testLedger, type TestLedger } from '../../support/ledger.js';
import { right } from '../../support/outcome.js';

const STORIES: readonly (readonly JobCommand[])[] = [
  [enqueue({ number: '1', enqueuedAt: at(3) })],
  [enqueue({ number: '2', notBefore: at(90) })],
  [enqueue({ number: '3', notBefore: '2100-01-01T00:00:00.000Z' })],
  [enqueue({ number: '4' }), claim(), start(), fail({ now: at(50) })],
  [enqueue({ number: '5' }), claim(), release({ now: at(60) })],
  [enqueue({ number: '6' }), cancel(), requeue()],
];

describe('the migration 0015-ready-since', () => {
  let ledger: TestLedger;
  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());

  it('tells of jobs that waited before it since when they are ready', async () => {
    const appends = STORIES.map((commands, n) => {
      const id = `01890000-0000-7000-8000-00000000000${n}`;
      return { stream: jobStream(id), expected: 'no-stream', events: storyOf(id, commands) } as const;
    });
    await right(ledger.store.append(appends));
    const migration = readMigrations().find(({ name }) => name === 'ready-since');
    await ledger.pool.query('ALTER TABLE jobledger.ready_job DROP COLUMN since');
    await ledger.pool.query('ALTER TABLE jobledger.delayed_job DROP COLUMN since');
    await ledger.pool.query('DROP INDEX jobledger.delayed_job_oldest');
    await ledger.pool.query(inSchema(migration?.sql ?? '', ledger.schema));
    const report = await right(audit(ledger.pool, ledger.schema, readyJob, ledger.historyOn));
    expect(report).to.include({ equal: true });
  });
});
