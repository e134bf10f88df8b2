// Tables change under a runner and a projector at work: statements that were prepared before go on.
import { expect } from 'chai';
import { startProjector } from '../../adapters/postgres/live-projector.js';
import { catchUpProjections } from '../../projections/index.js';
import { column, enqueued, isIn, testLedger, unequalTables, type TestLedger } from '../support/ledger.js';
import { right } from '../support/ledger-database.js';
import { working } from '../support/runners.js';
import { until } from '../support/waiting.js';

const TABLES = [
  'event',
  'ready_job',
  'delayed_job',
  'claimed_job',
  'duplicate',
  'job',
  'runner_presence',
  'queue_summary',
] as const;

describe('field case 27: a column that comes and goes under statements prepared before', () => {
  let ledger: TestLedger;

  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());

  it('fails no job and stops no projector', async () => {
    const { pool, schema, store } = ledger;
    const projector = startProjector(pool, schema, catchUpProjections, { store, pollMs: 50 });
    const { done, stop, lines } = working(ledger, [{ type: 'steady', run: () => undefined }]);
    const ids: string[] = [];
    const work = async (): Promise<void> => {
      const jobs = Array.from({ length: 20 }, (_, n) => ({ type: 'steady', params: { n: ids.length + n } }));
      ids.push(...(await enqueued(ledger, ...jobs)));
      await until('they have succeeded', () => isIn(ledger, 'Succeeded', ...ids));
    };
    await work();
    for (const table of TABLES) {
      await column(ledger, `ALTER TABLE __schema__.${table} ADD COLUMN x integer`);
      await work();
      await column(ledger, `ALTER TABLE __schema__.${table} DROP COLUMN x`);
      await work();
    }
    await until('the projector is up to date', async () => {
      const statuses = await right(projector.status());
      return statuses.every(({ behind, halt }) => behind === 0n && halt === undefined);
    });
    stop();
    expect(await done).to.include({ succeeded: ids.length, failed: 0, lost: 0 });
    await projector.stop();
    expect(lines).to.deep.equal([]);
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
