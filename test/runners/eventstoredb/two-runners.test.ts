// The whole system on EventStoreDB: a projector and two runners as processes, one runner killed, the server restarted in the middle.
import { expect } from 'chai';
import { projectionStatus } from '../../../adapters/postgres/projector.js';
import { cliProcess, type CliProcess } from '../../support/cli-process.js';
import {
  eventStoreSites,
  interruptionOf,
  ledgerOn,
  type LedgerElsewhere,
} from '../../support/eventstore-sites.js';
import { executionFile, type ExecutionFile } from '../../support/execution-file.js';
import { enqueued, everyHistory, unequalTables } from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import { runnerProcess, type RunnerProcess } from '../../support/runners.js';
import { until } from '../../support/waiting.js';

const JOBS = Number(
  process.env['JOBLEDGER_TEST_EVENTSTORE_JOBS'] ?? (process.env['JOBLEDGER_LARGE'] === '1' ? 20_000 : 1_000),
);
const LIVE_AGAIN_SECONDS = 15;
const ALL_MS = 240_000 + JOBS * 60;

for (const site of eventStoreSites) {
  describe(`two runner processes with their history on ${site.where}`, () => {
    let ledger: LedgerElsewhere;
    let file: ExecutionFile;
    let runners: readonly RunnerProcess[] = [];
    let projector: CliProcess | undefined;

    before(async () => {
      ledger = await ledgerOn(site);
      file = executionFile();
    });

    after(async () => {
      await Promise.all(
        [...runners, ...(projector === undefined ? [] : [projector])].map(({ kill }) => kill()),
      );
      file.remove();
      await ledger.drop();
    });

    it(`lose none of ${JOBS} jobs and succeed in none twice, though one is killed and the server restarted`, async function () {
      this.timeout(2 * ALL_MS);
      const server = interruptionOf(this, ledger);
      const { url, schema, address } = ledger;
      projector = cliProcess(['project'], {
        JOBLEDGER_DATABASE_URL: url,
        JOBLEDGER_SCHEMA: schema,
        JOBLEDGER_EVENTSTORE_URL: address.eventstoreUrl,
        JOBLEDGER_LEDGER: address.ledger,
      });
      const jobs = Array.from({ length: JOBS }, (_, n) => ({ type: 'append', params: { n } }));
      const ids: string[] = [];
      for (let from = 0; from < JOBS; from += 500) {
        ids.push(...(await enqueued(ledger, ...jobs.slice(from, from + 500))));
      }
      const options = { url, schema, ...address, file: file.path, leaseMs: 3_000 };
      const started = performance.now();
      runners = [runnerProcess(options), runnerProcess(options)];

      await until('a third has begun', () => file.begun() >= JOBS / 3, ALL_MS);
      await runners[0]?.kill();
      await until('half have begun', () => file.begun() >= JOBS / 2, ALL_MS);
      const status = projectionStatus(ledger.pool, schema, ledger.projected, ledger.store);
      const positions = async () => (await right(status)).map(({ position }) => position);
      const atStop = await positions();
      const end = await right(ledger.store.end());
      server.stop();
      await server.start();
      const restarted = performance.now();
      const secondsSince = (): number => (performance.now() - restarted) / 1_000;
      ids.push(...(await enqueued(ledger, { type: 'append', params: { n: JOBS } })));
      await until('every projection has gone on', async () =>
        (await positions()).every((position, n) => position > (atStop[n] ?? 0n)),
      );
      const liveAgain = secondsSince();
      expect(liveAgain).to.be.below(LIVE_AGAIN_SECONDS);
      // How far they were behind is a matter of how much else this machine does.
      await until(
        'every projection is past what there was at the restart',
        async () => (await positions()).every((position) => position > end),
        ALL_MS,
      );
      console.log(
        `      projections live again ${liveAgain.toFixed(1)} s after the restart, and past it after ${secondsSince().toFixed(1)} s`,
      );

      // As the projector has it, which is under test: asking by `column` would catch up the tables beside it.
      const succeeded = async (): Promise<number> => {
        const sql = 'SELECT sum(succeeded)::text AS n FROM jobledger.queue_summary';
        return Number((await ledger.pool.query<{ n: string }>(sql)).rows[0]?.n);
      };
      await until('all have succeeded', async () => (await succeeded()) >= ids.length, ALL_MS);
      const seconds = (performance.now() - started) / 1_000;
      projector.child.kill('SIGTERM');
      expect(await projector.ended, projector.said()).to.deep.equal([0, null]);
      const histories = await everyHistory(ledger);
      const events = [...histories.values()].flat();
      const successes = (id: string) =>
        histories.get(id)?.filter(({ type }) => type === 'AttemptSucceeded').length;
      expect(ids.filter((id) => successes(id) !== 1)).to.deep.equal([]);
      expect(histories.size).to.equal(ids.length);
      const startedLater = events.filter(({ type, position }) => type === 'AttemptStarted' && position > end);
      expect(startedLater.length, 'attempts behind the restart').to.be.above(1);
      const expired = events.filter(({ type }) => type === 'LeaseExpired').length;
      console.log(
        `      ${ids.length} jobs in ${seconds.toFixed(0)} s, ${expired} claims of the killed runner expired`,
      );
      expect(await unequalTables(ledger)).to.deep.equal([]);
    });
  });
}
