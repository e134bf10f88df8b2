// The main job with its history on EventStoreDB: the same numbers as on PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandLine } from '../cli/command-line.js';
import { eventStoreSites } from '../../support/eventstore-sites.js';
import { newLedgerName } from '../../support/real-eventstore.js';
import { testDatabase, type TestDatabase } from '../../support/postgres.js';

interface Report {
  readonly queues: readonly { readonly type: string; readonly superseded: number }[];
  readonly total: Readonly<Record<string, unknown>>;
  readonly addsUp: boolean;
  readonly audited: { readonly unequal: readonly string[] };
  readonly claims?: { readonly tried: number; readonly lost: number };
}

/** Above this runners work in vain, and the projector is the bottleneck. */
const MOST_LOST = 0.05;

describe('jobledger demo with its history on EventStoreDB', function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let home: string;
  before(async () => {
    database = await testDatabase();
    home = mkdtempSync(join(tmpdir(), 'jobledger-demo-'));
  });
  after(async () => {
    rmSync(home, { recursive: true });
    await database.drop();
  });

  const demo = async (schema: string, env: Readonly<Record<string, string>>): Promise<Report> => {
    const where = { JOBLEDGER_DATABASE_URL: database.url, JOBLEDGER_HOME: home, JOBLEDGER_SCHEMA: schema };
    const { status, stdout, stderr } = await commandLine({ ...where, ...env })('demo', '--json');
    expect(status, stderr).to.equal(0);
    return JSON.parse(stdout) as Report;
  };

  /** Ages go on while the demo runs. */
  const numbers = ({ queues, total }: Report): unknown =>
    [...queues, total].map((figures) => ({ ...figures, lagSeconds: undefined }));

  let here: Report;
  before(async () => {
    here = await demo('here', {});
    expect(here.claims).to.equal(undefined);
  });

  for (const { where, server } of eventStoreSites) {
    it(`has the numbers it has on PostgreSQL, queue by queue, and loses few claims: ${where}`, async () => {
      const { url, close } = await server();
      const ledger = newLedgerName();
      const elsewhere = { JOBLEDGER_EVENTSTORE_URL: url, JOBLEDGER_LEDGER: ledger };
      const there = await demo(ledger, elsewhere).finally(close);
      expect(numbers(there)).to.deep.equal(numbers(here));
      expect(there.total).to.include({ enqueued: 4_866, suppressed: 1, abandoned: 4, waiting: 1 });
      expect(there).to.deep.include({ addsUp: true });
      expect(there.audited.unequal).to.deep.equal([]);
      const { tried, lost } = there.claims ?? { tried: 0, lost: 0 };
      console.log(`      of ${tried} claims ${lost} were lost to others`);
      expect(lost / tried).to.be.below(MOST_LOST);
    });
  }
});
