// The whole system on a protocol double of EventStoreDB: two runner processes, one killed, the server restarted in the middle.
import { expect } from 'chai';
import { startProjector } from '../../../adapters/postgres/live-projector.js';
import { doubledLedger, type DoubledLedger } from '../../support/eventstore-double/doubled-ledger.js';
import { streamsWith } from '../../support/eventstore-double/streams-with.js';
import { executionFile, type ExecutionFile } from '../../support/execution-file.js';
import { enqueued, everyHistory, unequalTables } from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import { runnerProcess, type RunnerProcess } from '../../support/runners.js';
import { until } from '../../support/waiting.js';

const JOBS = Number(process.env['JOBLEDGER_TEST_EVENTSTORE_JOBS'] ?? 1_000);
const LIVE_AGAIN_MS = 15_000;
const ALL_MS = 240_000 + JOBS * 60;

describe('two runner processes with their history on EventStoreDB (protocol double)', () => {
  let ledger: DoubledLedger;
  let file: ExecutionFile;
  let processes: readonly RunnerProcess[] = [];

  before(async () => {
    ledger = await doubledLedger();
    file = executionFile();
  });

  after(async () => {
    await Promise.all(processes.map(({ kill }) => kill()));
    file.remove();
    await ledger.drop();
  });

  it(`lose none of ${JOBS} jobs and succeed in none twice, though one is killed and the server restarted`, async function () {
    this.timeout(2 * ALL_MS);
    const jobs = Array.from({ length: JOBS }, (_, n) => ({ type: 'append', params: { n } }));
    const ids: string[] = [];
    for (let from = 0; from < JOBS; from += 500) {
      ids.push(...(await enqueued(ledger, ...jobs.slice(from, from + 500))));
    }
    const projector = startProjector(ledger.pool, ledger.schema, ledger.projected, {
      store: ledger.store,
      parks: ledger.parks,
      pageSize: ledger.pageSize ?? 5_000,
      wake: (onWake) => {
        const stop = ledger.store.onNews(() => onWake());
        return { stop: () => Promise.resolve(stop()) };
      },
    });
    const { url, schema, address } = ledger;
    const options = { url, schema, ...address, file: file.path, leaseMs: 3_000 };
    processes = [runnerProcess(options), runnerProcess(options)];

    const begun = streamsWith(ledger.double.log, 'AttemptStarted');
    await until('a third has begun', () => begun() >= JOBS / 3, ALL_MS);
    await processes[0]?.kill();
    await until('half have begun', () => begun() >= JOBS / 2, ALL_MS);
    const positions = async () => (await right(projector.status())).map(({ position }) => position);
    const atStop = await positions();
    ledger.double.stop();
    await ledger.double.start();
    const restarted = performance.now();
    const [again] = await enqueued(ledger, { type: 'append', params: { n: JOBS } });
    ids.push(again ?? '');
    await until('every projector has moved on', async () =>
      (await positions()).every((position, n) => position > (atStop[n] ?? 0n)),
    );
    const took = performance.now() - restarted;
    console.log(`      projectors live again ${(took / 1_000).toFixed(1)} s after the restart`);
    expect(took).to.be.below(LIVE_AGAIN_MS);

    const successes = async (): Promise<ReadonlyMap<string, number>> => {
      const counts = new Map<string, number>();
      for (const [id, events] of await everyHistory(ledger)) {
        counts.set(id, events.filter(({ type }) => type === 'AttemptSucceeded').length);
      }
      return counts;
    };
    const succeeded = streamsWith(ledger.double.log, 'AttemptSucceeded');
    await until('all have succeeded', () => succeeded() >= ids.length, ALL_MS);
    await projector.stop();
    const counts = await successes();
    expect(ids.filter((id) => counts.get(id) !== 1)).to.deep.equal([]);
    expect(counts.size).to.equal(ids.length);
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
