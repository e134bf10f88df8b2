// Tables far behind a history that goes on: they are caught up in small steps, and nothing is left out.
import { expect } from 'chai';
import { startProjector } from '../../../adapters/postgres/live-projector.js';
import { pause } from '../../../adapters/pause.js';
import type { Position } from '../../../domain/ledger.js';
import { eventStoreSites, ledgerOn, type LedgerElsewhere } from '../../support/eventstore-sites.js';
import { column, enqueued, unequalTables } from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import { randomAppends } from '../../support/random-appends.js';
import { until } from '../../support/waiting.js';

const EVENTS = process.env['JOBLEDGER_LARGE'] === '1' ? 100_000 : 3_000;
/** Events behind each checkpoint: small, so that there are many. */
const PAGE = 100;
const ENQUEUES_A_SECOND = 100;
const TICK_MS = 20;
const MOST_OPEN = 10;
const DEADLINE_MS = 120_000 + EVENTS * 6;

for (const site of eventStoreSites) {
  describe(`tables far behind a history on ${site.where}`, () => {
    let ledger: LedgerElsewhere;
    before(async () => {
      ledger = await ledgerOn(site);
    });
    after(() => ledger.drop());

    function* history(): Generator<ReturnType<ReturnType<typeof randomAppends>['next']>> {
      const random = randomAppends(100);
      for (let events = 0; events < EVENTS;) {
        const append = random.next();
        events += append.events.length;
        yield append;
      }
    }

    /** Until it is told to stop. */
    const producing = (): { readonly stop: () => Promise<readonly string[]> } => {
      const ending = new AbortController();
      const run = async (): Promise<readonly string[]> => {
        const asked: Promise<string[]>[] = [];
        let open = 0;
        const ask = async (n: number): Promise<string[]> => {
          open += 1;
          const ids = await enqueued(ledger, { type: 'meanwhile', params: { n } });
          open -= 1;
          return ids;
        };
        const begun = performance.now();
        while (!ending.signal.aborted) {
          const due = ((performance.now() - begun) * ENQUEUES_A_SECOND) / 1_000;
          // On a machine with too much to do it is less: the tables are kept by this process, too.
          while (asked.length < due && open < MOST_OPEN) asked.push(ask(asked.length));
          await pause(TICK_MS, ending.signal);
        }
        return (await Promise.all(asked)).flat();
      };
      const ended = run();
      return {
        stop: () => {
          ending.abort();
          return ended;
        },
      };
    };

    it(`are caught up over ${EVENTS} events while jobs are enqueued: every row is there, and positions only rise`, async function () {
      this.timeout(2 * DEADLINE_MS);
      const { pool, schema, store, projected, parks } = ledger;
      await ledger.fill(history());
      const behind = await right(store.end());
      const handled = new Map<string, Position[]>();
      const begun = performance.now();
      const producer = producing();
      const projector = startProjector(pool, schema, projected, {
        store,
        parks,
        pageSize: PAGE,
        onProgress: ({ name, position }) => {
          handled.set(name, [...(handled.get(name) ?? []), position]);
        },
      });
      const isPast = async (position: Position): Promise<boolean> =>
        (await right(projector.status())).every((status) => status.position >= position);
      await until('the tables are where history was', () => isPast(behind), DEADLINE_MS);
      const seconds = (performance.now() - begun) / 1_000;
      const ids = await producer.stop();
      const end = await right(store.end());
      await until('the tables are at its end', () => isPast(end), DEADLINE_MS);
      await projector.stop();

      const steps = [...handled.values()].reduce((sum, positions) => sum + positions.length, 0);
      console.log(
        `      ${EVENTS} events in ${seconds.toFixed(0)} s, ${(steps / seconds).toFixed(0)} checkpoints and ` +
          `${(ids.length / seconds).toFixed(0)} enqueues a second`,
      );
      expect([...handled.keys()].sort()).to.deep.equal(projected.map(({ name }) => name).sort());
      for (const [name, positions] of handled) {
        const isRising = positions.every((position, n) => n === 0 || position > (positions[n - 1] ?? 0n));
        expect(isRising, name).to.equal(true);
      }
      const rows = await column(
        ledger,
        `SELECT job_uuid::text FROM __schema__.job WHERE job_cmd = 'meanwhile'`,
      );
      expect(rows).to.have.members(ids);
      expect(await unequalTables(ledger)).to.deep.equal([]);
    });
  });
}
