import { expect } from 'chai';
import { startProjector, type Projector } from '../../adapters/postgres/live-projector.js';
import { pause } from '../../adapters/pause.js';
import {
  eventStoreSites,
  interruptionOf,
  ledgerOn,
  type LedgerElsewhere,
} from '../support/eventstore-sites.js';
import { enqueued, unequalTables } from '../support/ledger.js';
import { right } from '../support/outcome.js';
import { until } from '../support/waiting.js';

const RESTARTS = 3;
const LIVE_AGAIN_MS = 15_000;

/** A job every tenth of a second, until stopped; those that were acknowledged. */
const enqueueing = (ledger: LedgerElsewhere) => {
  const stopping = new AbortController();
  const ids: string[] = [];
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      ids.push(...(await enqueued(ledger, { type: 'steady' })));
      await pause(100, stopping.signal);
    }
  };
  const running = run();
  return {
    ids,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

for (const site of eventStoreSites) {
  describe(`field case 33: a subscription that is silently dead (${site.where})`, () => {
    let ledger: LedgerElsewhere;
    let projector: Projector;
    before(async () => {
      ledger = await ledgerOn(site);
      projector = startProjector(ledger.pool, ledger.schema, ledger.projected, {
        store: ledger.store,
        parks: ledger.parks,
        pageSize: ledger.pageSize ?? 5_000,
        wake: (onWake) => {
          const stop = ledger.store.onNews(() => onWake());
          return { stop: () => Promise.resolve(stop()) };
        },
      });
    });
    after(async () => {
      await projector.stop();
      await ledger.drop();
    });

    const isPast = async (position: bigint): Promise<boolean> => {
      const statuses = await projector.status()();
      return statuses._tag === 'Right' && statuses.right.every((each) => each.position >= position);
    };

    it('is told and begun anew at each of three restarts, and every projector catches up in time', async function () {
      this.timeout(240_000);
      const server = interruptionOf(this, ledger);
      const steady = enqueueing(ledger);
      for (let times = 1; times <= RESTARTS; times += 1) {
        const before = steady.ids.length;
        await until('some more are enqueued', () => steady.ids.length >= before + 5);
        server.stop();
        await until('the drop is told', () => ledger.lines.length >= times);
        await server.start();
        const returned = performance.now();
        await until('it goes on', () => steady.ids.length >= before + 7);
        const end = await right(ledger.store.end());
        await until('the projectors are there', () => isPast(end));
        expect(performance.now() - returned).to.be.below(LIVE_AGAIN_MS);
      }
      await steady.stop();
      expect(ledger.lines.filter((line) => /dropped/.test(line)).length).to.be.at.least(RESTARTS);
      expect(await unequalTables(ledger)).to.deep.equal([]);
    });

    it('does not keep the projectors from what is there, deaf as it may be', async function () {
      interruptionOf(this, ledger).deafen();
      await enqueued(ledger, { type: 'steady' });
      const end = await right(ledger.store.end());
      await until('the projectors are there', () => isPast(end));
    });
  });
}
