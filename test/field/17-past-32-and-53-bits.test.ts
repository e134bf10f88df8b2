// Numbers and positions are 64 bits wide everywhere, and never pass through a number of JavaScript.
import { expect } from 'chai';
import { rebuild } from '../../adapters/postgres/rebuild.js';
import { postgresEventStore } from '../../adapters/postgres/event-store.js';
import { projections } from '../../projections/index.js';
import { claimed } from '../support/claims.js';
import { right } from '../support/ledger-database.js';
import {
  column,
  enqueued,
  factsOf,
  historyOf,
  isIn,
  testLedger,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import { drained } from '../support/runners.js';
import { dumpTables } from '../support/table-dump.js';

const FIRST_POSITION = 9_007_199_254_740_993n;

describe('field case 17: past 32 and past 53 bits', () => {
  for (const last of [2_147_483_646n, 9_007_199_254_740_991n]) {
    describe(`with ${last} as the last job number`, () => {
      let ledger: TestLedger;

      before(async () => {
        ledger = await testLedger();
        await column(ledger, `SELECT setval('__schema__.job_number'::regclass, $1)::text`, String(last));
        const before = String(FIRST_POSITION - 1n);
        await column(ledger, `SELECT setval('__schema__.event_position_seq'::regclass, $1)::text`, before);
      });
      after(() => ledger.drop());

      it('every step of a job and every table agrees digit for digit', async () => {
        const jobs = [1, 2, 3].map((n) => ({ type: 'wide', params: { n }, ignoreDuplicates: true }));
        const ids = await enqueued(ledger, ...jobs);
        const numbers = await Promise.all(
          ids.map(async (id) => (await factsOf(ledger, id, 'JobEnqueued'))[0]?.number),
        );
        const expected = [last + 1n, last + 2n, last + 3n].map(String);
        expect(numbers.map(String)).to.deep.equal(expected);
        const [position] = (await historyOf(ledger, ids[0] ?? '')).map((event) => event.position);
        expect(position).to.equal(FIRST_POSITION);

        const [failing, released, succeeding] = await Promise.all(ids.map((id) => claimed(ledger, id)));
        for (const claim of [failing, released, succeeding]) await claim?.start();
        await failing?.fail();
        await released?.release();
        expect(await unequalTables(ledger)).to.deep.equal([]);
        const order = (table: string, number: string) =>
          column(ledger, `SELECT ${number}::text FROM __schema__.${table} ORDER BY ${number}`);
        expect(await order('job', 'job_id')).to.deep.equal(expected);
        await succeeding?.succeed();

        const catchUp = projections.filter(({ drive }) => drive === 'catch-up');
        const [status] = await right(ledger.catchUp(catchUp));
        const [newest] = await column(ledger, 'SELECT max(position)::text FROM __schema__.event');
        expect(String(status?.position)).to.equal(newest);
        const checkpoints = await column(ledger, 'SELECT position::text FROM __schema__.checkpoint');
        expect(new Set(checkpoints)).to.deep.equal(new Set([newest]));
        expect(await order('job', 'job_id')).to.deep.equal(expected.slice(0, 2));

        const before = await dumpTables(ledger.pool, projections);
        for (const projection of projections) {
          const historyOn = (client: Parameters<typeof postgresEventStore>[0]) =>
            postgresEventStore(client, { schema: ledger.schema });
          const options = { store: ledger.store, historyOn };
          const report = await right(rebuild(ledger.pool, ledger.schema, projection, options));
          expect(report.halt).to.equal(undefined);
        }
        expect(await dumpTables(ledger.pool, projections)).to.equal(before);
        expect(await unequalTables(ledger)).to.deep.equal([]);
      });

      it('a runner works on such jobs, and equal ones are found by position', async () => {
        const twin = { type: 'twin', params: { a: 1 } };
        const [first = ''] = await enqueued(ledger, twin);
        const [second = ''] = await enqueued(ledger, twin);
        const summary = await drained(ledger, [{ type: 'twin', ignoreDuplicates: true, run: () => 1 }]);
        expect(summary).to.include({ succeeded: 1, superseded: 1 });
        expect(await isIn(ledger, 'Succeeded', first)).to.equal(true);
        expect(await isIn(ledger, 'Superseded', second)).to.equal(true);
        expect(await unequalTables(ledger)).to.deep.equal([]);
      });
    });
  }
});
