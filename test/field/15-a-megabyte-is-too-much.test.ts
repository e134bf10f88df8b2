import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { eventStoreSites, ledgerOn, type LedgerElsewhere } from '../support/eventstore-sites.js';

const KIB = 1_024;

/** Params of exactly so many bytes as JSON. */
const paramsOf = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

for (const site of eventStoreSites) {
  describe(`field case 15: a megabyte is too much (${site.where})`, () => {
    let ledger: LedgerElsewhere;
    before(async () => {
      ledger = await ledgerOn(site);
    });
    after(() => ledger.drop());

    it('takes 500 jobs of 3 KiB in one call, more together than a server takes in one append', async function () {
      this.timeout(240_000);
      const jobs = Array.from({ length: 500 }, () => ({ type: 'large', params: paramsOf(3 * KIB) }));
      const answers = await ledger.producer.enqueueAll(jobs);
      expect(answers.filter(E.isRight)).to.have.length(500);
    });

    it('refuses one of 65,537 bytes by name, and loses no neighbour', async () => {
      const answers = await ledger.producer.enqueueAll([
        { type: 'large', params: paramsOf(64 * KIB) },
        { type: 'large', params: paramsOf(64 * KIB + 1) },
        { type: 'large', params: paramsOf(10 * KIB) },
      ]);
      expect(answers.map(({ _tag }) => _tag)).to.deep.equal(['Right', 'Left', 'Right']);
      expect(JSON.stringify(answers[1]))
        .to.match(/params/)
        .and.to.match(/65537 bytes/);
    });

    it('counts bytes in UTF-8', async () => {
      const [answer] = await ledger.producer.enqueueAll([
        { type: 'large', params: { text: 'é'.repeat(40_000) } },
      ]);
      expect(JSON.stringify(answer)).to.match(/80011 bytes/);
    });
  });
}
