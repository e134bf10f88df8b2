// Claims where the tables lag behind the history.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { openLedger } from '../../../runners/ledger.js';
import { eventStoreSites, ledgerOn, type LedgerElsewhere } from '../../support/eventstore-sites.js';
import { enqueued, everyHistory, unequalTables } from '../../support/ledger.js';
import { working } from '../../support/runners.js';

const JOBS = 120;

for (const site of eventStoreSites) {
  describe(`claims with the history on ${site.where}`, () => {
    let ledger: LedgerElsewhere;
    before(async () => {
      ledger = await ledgerOn(site);
    });
    after(() => ledger.drop());

    it('give each job to one of several runners, and tell how many were lost to others', async function () {
      this.timeout(240_000);
      const ids = await enqueued(
        ledger,
        ...Array.from({ length: JOBS }, (_, n) => ({ type: 'some', params: { n } })),
      );
      const runners = [1, 2].map(() =>
        working(ledger, [{ type: '*', run: () => undefined }], { drain: true, leaseMs: 30_000 }),
      );
      const summaries = await Promise.all(runners.map(({ done }) => done));
      expect(summaries.reduce((sum, { succeeded }) => sum + succeeded, 0)).to.equal(JOBS);
      const histories = await everyHistory(ledger);
      for (const id of ids) {
        const types = histories.get(id)?.map(({ type }) => type);
        expect(types).to.deep.equal(['JobEnqueued', 'JobClaimed', 'AttemptStarted', 'AttemptSucceeded']);
      }
      const told = runners
        .flatMap(({ lines }) => lines)
        .filter((line) => /of \d+ claims \d+ were lost/.test(line));
      expect(told).to.not.be.empty;
      console.log(`      ${told.at(-1)}`);
      expect(await unequalTables(ledger)).to.deep.equal([]);
    });

    it('answer an enqueue with the equal job that was enqueued right before it', async () => {
      const equal = { type: 'alike', params: { a: 1 }, ignoreDuplicates: true };
      const first = await ledger.producer.enqueue(equal);
      const second = await ledger.producer.enqueue(equal);
      expect(E.isRight(first) && first.right.outcome).to.equal('enqueued');
      expect(E.isRight(second) && second.right).to.deep.include({ outcome: 'suppressed' });
    });

    it('are made from one history for good: the schema refuses another', async () => {
      const where = {
        databaseUrl: ledger.url,
        home: '',
        schema: ledger.schema,
        by: 'test',
        report: () => undefined,
      };
      const without = await openLedger(where)();
      expect(without)
        .to.have.nested.property('left.message')
        .match(/--eventstore-url/);
      const other = await openLedger({ ...where, ...ledger.address, ledger: 'other' })();
      expect(other)
        .to.have.nested.property('left.message')
        .match(/not of "other"/);
    });
  });
}
