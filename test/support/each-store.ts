// The system's suites, on a ledger of every kind: its history in PostgreSQL, and on EventStoreDB wherever that is to be had.
import { eventStoreSites, ledgerOn } from './eventstore-sites.js';
import { testLedger, type TestLedger } from './ledger.js';

export type OpenLedger = () => Promise<TestLedger>;

export const onEachStore = (title: string, suite: (open: OpenLedger) => void): void => {
  describe(title, () => suite(testLedger));
  for (const site of eventStoreSites) {
    describe(`${title}, the history on ${site.where}`, () => suite(() => ledgerOn(site)));
  }
};

/** Ends a test that is only for a history beside the tables, and says why. */
export const onlyInPostgres = (context: Mocha.Context, ledger: TestLedger, why: string): void => {
  if (ledger.elsewhere === undefined) return;
  console.log(`      skipped with the history elsewhere: ${why}`);
  context.skip();
};
