// The reaper sees to the end of the claims in every round, and a job that hangs its runner twice lets others go first.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { expireClaims, reaper } from '../../runners/reaper.js';
import { claimed } from '../support/claims.js';
import { executionFile } from '../support/execution-file.js';
import { untilGone, urlFor } from '../support/killed-runners.js';
import { enqueued, factsOf, isIn, testLedger, unequalTables, type TestLedger } from '../support/ledger.js';
import { executionsIn, runnerProcess, working } from '../support/runners.js';
import { until } from '../support/waiting.js';

const LONG_LEASE_MS = 3_600_000;
const HOUR_MS = 3_600_000;

describe('field case 06: recovery that starves nobody', () => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  const ports = () => ledger.reaperPorts(() => undefined);

  it('finds the one expired claim behind a whole page of long leases, in one round', async () => {
    const jobs = Array.from({ length: 11 }, (_, n) => ({ type: 'a', params: { n } }));
    const ids = (await enqueued(ledger, ...jobs)).toSorted();
    const last = ids.at(-1) ?? '';
    for (const id of ids) await claimed(ledger, id, { leaseMs: id === last ? 0 : LONG_LEASE_MS });
    expect(await expireClaims(ports(), { by: 'reaper', pageSize: 10 })).to.deep.equal(E.right(1));
    expect(await isIn(ledger, 'Waiting', last)).to.equal(true);
  });

  it('lets quick jobs go before those that have hung their runner twice', async () => {
    const file = executionFile();
    const recovery = reaper(ports(), { by: 'reaper', tickMs: 100 });
    const hanging = await enqueued(
      ledger,
      ...Array.from({ length: 4 }, (_, n) => ({
        type: 'hanging',
        params: { n, blocks: HOUR_MS },
        backoff: { firstMs: HOUR_MS },
      })),
    );
    for (const attempt of [1, 2]) {
      const options = { schema: ledger.schema, file: file.path, leaseMs: 1_000, concurrency: 4 };
      const runner = runnerProcess({ ...options, url: urlFor(ledger, 'hung') });
      await until('it hangs', () => executionsIn(file.path).some((each) => each.attempt === attempt));
      await runner.kill();
      await untilGone(ledger, 'hung');
      await until('its claims have expired', () => isIn(ledger, 'Waiting', ...hanging));
    }
    const jobs = Array.from({ length: 100 }, (_, n) => ({ type: 'quick', params: { n } }));
    const quick = await enqueued(ledger, ...jobs);
    const run = (): void => undefined;
    const { done, stop } = working(ledger, [
      { type: 'quick', run },
      { type: 'hanging', run },
    ]);
    await until('the quick ones have succeeded', () => isIn(ledger, 'Succeeded', ...quick));
    stop();
    await done;
    await recovery.stop();
    file.remove();
    for (const id of hanging) expect(await factsOf(ledger, id, 'JobClaimed')).to.have.lengthOf(2);
  });
});
