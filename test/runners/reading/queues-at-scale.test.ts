// What `queues` shows is what a full count over all histories gives, and takes no longer for many jobs.
import { expect } from 'chai';
import { audit } from '../../../adapters/postgres/audit.js';
import { queueSummary } from '../../../projections/queue-summary.js';
import { readyJob } from '../../../projections/ready-job.js';
import type { QueueView } from '../../../projections/reading-desk.js';
import { isLarge } from '../../support/large.js';
import { testLedger, type TestLedger } from '../../support/ledger.js';
import { fillWithJobs } from '../../support/many-jobs.js';
import { right } from '../../support/outcome.js';

const LOOKS = 9;

describe('queues at scale', function () {
  this.timeout(900_000);
  let ledger: TestLedger;
  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(() => ledger.drop());

  const withoutAge = (view: QueueView): object =>
    Object.fromEntries(Object.entries(view).filter(([name]) => name !== 'lagSeconds'));

  /** The median of some looks, in milliseconds, each of which shows what was counted. */
  const equalsCount = async (jobs: number, queues: number): Promise<number> => {
    const asked = Date.now();
    const { counted, inTables } = await fillWithJobs(ledger.url, jobs, queues);
    await right(ledger.catchUp([queueSummary]));
    expect(counted).to.have.lengthOf(queues);
    const times: number[] = [];
    for (let look = 0; look < LOOKS; look += 1) {
      const began = performance.now();
      const views = await right(ledger.reading.queueViews());
      times.push(performance.now() - began);
      expect(views.map(withoutAge)).to.deep.equal(counted);
      expect(views.map(({ wiki, type, ready, delayed }) => ({ wiki, type, ready, delayed }))).to.deep.equal(
        inTables,
      );
      for (const { oldestReadyAt, lagSeconds } of views) {
        const oldest = Date.parse(oldestReadyAt ?? '');
        expect(lagSeconds).to.be.within((asked - oldest) / 1_000, (Date.now() - oldest) / 1_000 + 1);
      }
    }
    const median = times.toSorted((one, other) => one - other)[LOOKS >> 1] ?? NaN;
    console.log(`      ${jobs} jobs in ${queues} queues: ${median.toFixed(0)} ms`);
    return median;
  };

  it('equals a full count of 8,000 jobs in every standing, and the tables equal the history', async () => {
    await equalsCount(8_000, 20);
    for (const projection of [queueSummary, readyJob]) {
      const report = await right(audit(ledger.pool, ledger.schema, projection, ledger.historyOn));
      expect(report, projection.name).to.include({ equal: true });
    }
  });

  it('equals a full count of 40,000 jobs in 1,000 queues', async () => {
    await equalsCount(40_000, 1_000);
  });

  for (const queues of [20, 1_200]) {
    it(`equals a full count of 1,000,000 jobs in ${queues} queues, in less than 200 ms`, async function () {
      if (!isLarge(this, 'counting 1,000,000 jobs')) return;
      expect(await equalsCount(1_000_000, queues)).to.be.below(200);
    });
  }
});
