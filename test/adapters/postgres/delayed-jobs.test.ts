// Jobs that are not due cost the pick nothing: neither the question whether one is, nor the move of those that are.
import { expect } from 'chai';
import * as TE from 'fp-ts/lib/TaskEither.js';
import pg from 'pg';
import { postgresClaimDesk } from '../../../adapters/postgres/claim-desk.js';
import { inlineWrites } from '../../../adapters/postgres/inline.js';
import { inlineProjections } from '../../../projections/index.js';
import { column, testLedger, type TestLedger } from '../../support/ledger.js';
import { right } from '../../support/outcome.js';

const DELAYED = 20_000;

describe('delayed jobs', () => {
  let ledger: TestLedger;
  let client: pg.Client;

  before(async () => {
    ledger = await testLedger();
    await column(
      ledger,
      `INSERT INTO __schema__.delayed_job (job, wiki, type, class, priority, number, due, revision)
       SELECT gen_random_uuid(), 'wiki', 'later', 1, 0, n, now() + n * interval '1 hour', 0
       FROM generate_series(1, ${DELAYED}) n`,
    );
    client = new pg.Client({ connectionString: ledger.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await ledger.drop();
  });

  /** Rows of `delayed_job` that this connection has read so far. */
  const rowsRead = async (): Promise<number> => {
    await client.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await client.query<{ read: string }>(
      `SELECT (t.seq_tup_read + coalesce(sum(i.idx_tup_read), 0))::text AS read
       FROM pg_stat_user_tables t LEFT JOIN pg_stat_user_indexes i ON i.relid = t.relid
       WHERE t.schemaname = $1 AND t.relname = 'delayed_job' GROUP BY t.seq_tup_read`,
      [ledger.schema],
    );
    return Number(rows[0]?.read ?? 0);
  };

  it('are not read, however many, to find and to move the few that are due', async () => {
    const desk = postgresClaimDesk(client, ledger.schema, inlineWrites(inlineProjections), TE.of(undefined));
    const scope = { types: undefined, wikis: undefined };
    const before = await rowsRead();
    expect(await right(desk.readyQueues(scope))).to.deep.equal([]);
    await column(ledger, `UPDATE __schema__.delayed_job SET due = now() WHERE number = 7`);
    const ready = await right(desk.readyQueues(scope));
    expect(ready.map(({ type }) => type)).to.deep.equal(['later']);
    expect(await column(ledger, 'SELECT number::text FROM __schema__.ready_job')).to.deep.equal(['7']);
    expect((await rowsRead()) - before).to.be.within(1, DELAYED / 10);
  });
});
