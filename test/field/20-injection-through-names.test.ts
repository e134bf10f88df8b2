// Nothing from users is ever SQL text: what looks like it is refused or stored as it is, and the schema's name is checked.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { openLedger } from '../../runners/ledger.js';
import { jobProjection } from '../../projections/job-table.js';
import type { JobSpecification } from '../../domain/job/specification.js';
import { claimed } from '../support/claims.js';
import { right } from '../support/ledger-database.js';
import {
  column,
  enqueued,
  factsOf,
  isIn,
  testLedger,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import { drained, working } from '../support/runners.js';

const texts = ["x'; DROP TABLE job; --", '"; SELECT 1; --', "a' OR '1'='1", 'public"."job'];
/** What other parsers on the way might take for their own. */
const furtherTexts = [
  '$1',
  '{"a":1}',
  "\\'; --",
  '%s',
  '{x,NULL,"y"}',
  '__schema__',
  '(1,2)',
  '\\N',
  'E\\x27',
];

describe('field case 20: injection through names and keys', () => {
  let ledger: TestLedger;
  let tables: readonly (string | null)[];

  const tableNames = (): Promise<readonly (string | null)[]> =>
    column(
      ledger,
      `SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname <> 'pg_catalog' ORDER BY 1`,
    );

  before(async () => {
    ledger = await testLedger();
    tables = await tableNames();
  });
  after(() => ledger.drop());
  afterEach(async () => {
    expect(await tableNames()).to.deep.equal(tables);
  });

  for (const text of [...texts, ...furtherTexts]) {
    it(`stores ${JSON.stringify(text)} as it is, wherever a producer can put it`, async () => {
      const job = {
        type: text,
        wiki: text,
        title: text,
        params: { [text]: text, nested: [{ [text]: [text] }] },
        requestId: text,
        ignoreDuplicates: true,
      } as const satisfies JobSpecification;
      const [id = '', keyed = ''] = await enqueued(ledger, job, { ...job, dedupKey: text });
      const again = await ledger.producer.enqueue({ ...job, params: { other: 1 }, dedupKey: text });
      expect(E.isRight(again) && again.right).to.deep.include({ outcome: 'suppressed', jobId: keyed });
      const params = { ...job.params, rootJobIsSelf: true, rootJobSignature: text };
      const [root = ''] = await enqueued(ledger, {
        ...job,
        params: { ...params, rootJobTimestamp: '20260301040000' },
      });

      await right(ledger.catchUp([jobProjection]));
      const row = await column(
        ledger,
        `SELECT to_json(ARRAY[job_cmd, job_wiki, job_title, job_request_id])::text FROM __schema__.job WHERE job_uuid = $1`,
        id,
      );
      expect(JSON.parse(row[0] ?? '')).to.deep.equal([text, text, text, text]);

      const seen: unknown[] = [];
      const scope = { types: [text], wikis: [text] };
      const run = (given: { title: string | undefined; params: object }): void =>
        void seen.push([given.title, given.params]);
      const summary = await drained(ledger, [{ type: text, run }], scope);
      expect(summary).to.include({ succeeded: 3 });
      expect(seen[0]).to.deep.equal([text, job.params]);
      expect(await isIn(ledger, 'Succeeded', id, keyed, root)).to.equal(true);
      expect(await unequalTables(ledger)).to.deep.equal([]);
      const counted = await column(
        ledger,
        'SELECT succeeded::text FROM __schema__.queue_summary WHERE wiki = $1 AND type = $1',
        text,
      );
      expect(counted).to.deep.equal(['3']);
    });

    it(`stores ${JSON.stringify(text)} as it is, wherever a runner can put it`, async () => {
      const [id = ''] = await enqueued(ledger, { type: 'plain' });
      const runner = { id: text, host: text, ip: text, instance: text };
      await right(ledger.presence.arrive({ id: text, host: text, leaseMs: 60_000 }));
      expect(await right(ledger.presence.renew(text, 60_000))).to.equal(true);
      expect(await right(ledger.watch.othersMayHold(text))).to.be.a('boolean');
      const claim = await claimed(ledger, id, { runner });
      await claim.start();
      await claim.fail();
      await right(ledger.presence.leave(text));
      const [started] = await factsOf(ledger, id, 'AttemptStarted');
      expect(started?.runner).to.deep.equal(runner);
      expect(await unequalTables(ledger)).to.deep.equal([]);
      const [host] = await column(
        ledger,
        'SELECT hostname FROM __schema__.job_execution_log WHERE task_id = $1',
        started?.taskId,
      );
      expect(host).to.equal(text);
    });

    it(`stores ${JSON.stringify(text)} as it is, wherever a handler can put it`, async () => {
      const [id = ''] = await enqueued(ledger, { type: 'thrower' }, { type: 'returner' });
      const work = working(
        ledger,
        [
          {
            type: 'thrower',
            retry: false,
            run: () => {
              throw Object.assign(new Error(text), { name: text });
            },
          },
          { type: 'returner', run: (_, { spawn }) => (spawn({ type: text, title: text }), { [text]: text }) },
        ],
        { drain: true },
      );
      expect(await work.done).to.include({ failed: 1, succeeded: 1 });
      const [failed] = await factsOf(ledger, id, 'AttemptFailed');
      expect(failed?.error).to.include({ name: text, message: text });
    });

    it(`takes ${JSON.stringify(text)} neither for an id nor for a due time nor for a class`, async () => {
      for (const member of ['jobId', 'notBefore', 'priority'] as const) {
        const refused = await ledger.producer.enqueue({ type: 'plain', [member]: text });
        expect(refused).to.have.nested.include({ 'left._tag': 'InvalidSpecification', 'left.path': member });
      }
    });

    it(`opens no ledger in a schema named ${JSON.stringify(text)}`, async () => {
      if (text === '__schema__') return;
      const schemas = () => column(ledger, 'SELECT nspname::text FROM pg_namespace ORDER BY 1');
      const before = await schemas();
      const opened = await openLedger({
        databaseUrl: ledger.url,
        home: '',
        schema: text,
        by: 'test',
        report: () => undefined,
      })();
      expect(E.isLeft(opened) && opened.left.message).to.include('cannot be the name of the ledger');
      expect(await schemas()).to.deep.equal(before);
    });
  }

  it('works in a schema whose name stands for others in our own SQL', async () => {
    const odd = await testLedger('__schema__');
    try {
      const [id = ''] = await enqueued(odd, { type: 'plain' });
      expect(await drained(odd, [{ type: 'plain', run: () => 1 }])).to.include({ succeeded: 1 });
      expect(await isIn(odd, 'Succeeded', id)).to.equal(true);
      expect(await unequalTables(odd)).to.deep.equal([]);
    } finally {
      await odd.drop();
    }
  });
});
