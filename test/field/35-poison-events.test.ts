import { expect } from 'chai';
import { catchUp, type ProjectionStatus } from '../../adapters/postgres/projector.js';
import { newEvent, newStream, share, taken } from '../contract/appending.js';
import { eventStoreSites, ledgerOn, type LedgerElsewhere } from '../support/eventstore-sites.js';
import { enqueued, isIn } from '../support/ledger.js';
import { right } from '../support/outcome.js';
import { drained } from '../support/runners.js';

for (const site of eventStoreSites) {
  describe(`field case 35: a poison event (${site.where})`, () => {
    let ledger: LedgerElsewhere;
    before(async () => {
      ledger = await ledgerOn(site);
    });
    after(() => ledger.drop());

    const project = async (): Promise<ReadonlyMap<string, ProjectionStatus>> => {
      const { pool, schema, store, projected, parks } = ledger;
      const statuses = await right(catchUp(pool, schema, projected, { store, parks }));
      return new Map(statuses.map((status) => [status.name, status]));
    };

    it('stops the projections that need it at its place, which they name, and no others', async () => {
      await enqueued(ledger, { type: 'before' });
      const stream = newStream();
      await taken(ledger.store, share(stream, 'no-stream', [newEvent('JobEnqueued', {})]));
      const [poison] = await right(ledger.store.readStream(stream));
      await enqueued(ledger, { type: 'behind' });
      const statuses = await project();
      const end = await right(ledger.store.end());
      const job = statuses.get('job');
      expect(job?.halt).to.include(`position ${poison?.position}`).and.to.include(stream);
      expect(job?.position).to.satisfy((position: bigint) => position < (poison?.position ?? 0n));
      expect(statuses.get('job_execution_log')).to.deep.include({ halt: undefined, position: end });
    });

    it('is put aside by what work rests on, so that every other job is done', async () => {
      const ids = await enqueued(ledger, { type: 'later' });
      await drained(ledger, [{ type: '*', run: () => undefined }]);
      expect(await isIn(ledger, 'Succeeded', ...ids)).to.equal(true);
      const statuses = await project();
      expect(statuses.get('ready_job')).to.include({ halt: undefined, parked: 1 });
    });
  });
}
