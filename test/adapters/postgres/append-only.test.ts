import { expect } from 'chai';
import type pg from 'pg';
import { codeOf } from '../../../adapters/postgres/error-mapping.js';
import { postgresEventStore } from '../../../adapters/postgres/event-store.js';
import type { SchemaName } from '../../../adapters/postgres/schema-name.js';
import { newEvent, newEvents, newStream, share, succeed, taken } from '../../contract/appending.js';
import { schemaDatabase, type SchemaDatabase } from '../../support/schemas.js';

describe('the table event', () => {
  let database: SchemaDatabase;
  let schema: SchemaName;
  const stream = newStream();
  before(async () => {
    database = await schemaDatabase();
    schema = await database.migratedSchema();
    await taken(postgresEventStore(database.pool, { schema }), share(stream, 'no-stream', newEvents(3)));
  });
  after(() => database.drop());

  const inTransaction = async (work: (client: pg.PoolClient) => Promise<unknown>): Promise<unknown> => {
    const client = await database.pool.connect();
    try {
      await client.query('BEGIN');
      return await work(client);
    } catch (error) {
      return error;
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  };

  const row = `INSERT INTO event (stream, revision, id, type, data, metadata)
    VALUES ('s', 0, '00000000-0000-0000-0000-000000000000', 't', '{}', '{}')`;

  for (const [what, statement] of [
    ['an update', `UPDATE event SET type = 'Other'`],
    ['an update of no row', `UPDATE event SET type = 'Other' WHERE false`],
    ['a delete', 'DELETE FROM event'],
    ['a truncate', 'TRUNCATE event'],
    ['an upsert', `${row} ON CONFLICT (stream, revision) DO UPDATE SET type = 'Other'`],
    ['a delete by CTE', 'WITH gone AS (DELETE FROM event RETURNING 1) SELECT count(*) FROM gone'],
  ] as const) {
    for (const role of ['origin', 'replica'] as const) {
      it(`refuses ${what}, to its owner and superuser too, as ${role}`, async () => {
        const error = await inTransaction(async (client) => {
          await client.query(`SET LOCAL session_replication_role = ${role}`);
          await client.query(`SET LOCAL search_path = ${schema}`);
          return client.query(statement);
        });
        expect(codeOf(error)).to.equal('P0J01');
        expect(error)
          .to.be.an('error')
          .with.property('message')
          .that.matches(/refused: the history in .+ is append-only/);
        expect(error)
          .to.have.property('hint')
          .that.matches(/Append an event/);
      });
    }
  }

  describe('where finished jobs are pruned', () => {
    const [finished, other, unfinished, erased] = [newStream(), newStream(), newStream(), newStream()];
    before(async () => {
      const store = postgresEventStore(database.pool, { schema });
      const succeeded = () => [newEvent('JobEnqueued'), newEvent('AttemptSucceeded')];
      await taken(store, share(finished, 'no-stream', succeeded()));
      await taken(store, share(other, 'no-stream', [newEvent('JobEnqueued'), newEvent('JobSuperseded')]));
      await taken(store, share(unfinished, 'no-stream', [...succeeded(), newEvent('JobRequeued')]));
      await taken(store, share(erased, 'no-stream', [...succeeded(), newEvent('JobErased')]));
      await taken(store, share('ledger', 'no-stream', [told(other, 1)]));
    });

    const told = (named: string, revision: number) =>
      newEvent('HistoryPruned', { jobs: [{ id: named.slice(4), number: '1', revision: String(revision) }] });

    /** In a transaction that tells of a stream, and then does this. */
    const telling = (named: string, revision: number, statement: string): Promise<unknown> =>
      inTransaction(async (client) => {
        const store = postgresEventStore(client, { schema });
        const last = (await succeed(store.readStream('ledger'))).length - 1;
        await taken(store, share('ledger', BigInt(last), [told(named, revision)]));
        await client.query(`SET LOCAL search_path = ${schema}`);
        return (await client.query(statement)).rowCount;
      });

    it('lets a whole finished stream go that this very transaction has told of', async () => {
      expect(await telling(finished, 1, `DELETE FROM event WHERE stream = '${finished}'`)).to.equal(2);
      expect(await telling(erased, 2, `DELETE FROM event WHERE stream = '${erased}'`)).to.equal(3);
    });

    for (const [what, named, last, statement] of [
      [
        'a stream that another transaction has told of',
        finished,
        1,
        `DELETE FROM event WHERE stream = '${other}'`,
      ],
      ['a part of it', finished, 1, `DELETE FROM event WHERE stream = '${finished}' AND revision = 1`],
      ['it where it went on since', erased, 1, `DELETE FROM event WHERE stream = '${erased}'`],
      ['a job that is not finished', unfinished, 2, `DELETE FROM event WHERE stream = '${unfinished}'`],
      ['everything', finished, 1, 'DELETE FROM event'],
      ['what was told itself', finished, 1, `DELETE FROM event WHERE stream = 'ledger'`],
      ['an update', finished, 1, `UPDATE event SET type = 'Other' WHERE stream = '${finished}'`],
      ['a truncate', finished, 1, 'TRUNCATE event'],
    ] as const) {
      it(`refuses ${what}`, async () => {
        expect(codeOf(await telling(named, last, statement))).to.equal('P0J01');
      });
    }

    it('refuses to anybody by hand what would go in a prune', async () => {
      const error = await inTransaction(async (client) => {
        await client.query(`SET LOCAL search_path = ${schema}`);
        return client.query(`DELETE FROM event WHERE stream = '${other}'`);
      });
      expect(codeOf(error)).to.equal('P0J01');
    });
  });

  it('still has every event after all of this', async () => {
    const events = await succeed(postgresEventStore(database.pool, { schema }).readStream(stream));
    expect(events).to.have.length(3);
  });

  for (const [what, change] of [
    ['a negative revision', row.replace(`'s', 0`, `'s', -1`)],
    ['an empty stream', row.replace(`'s'`, `''`)],
    ['an empty type', row.replace(`'t'`, `''`)],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const error = await inTransaction(async (client) => {
        await client.query(`SET LOCAL search_path = ${schema}`);
        return client.query(change);
      });
      expect(codeOf(error)).to.equal('23514');
    });
  }

  it('gives no position that somebody chose', async () => {
    const error = await inTransaction(async (client) => {
      await client.query(`SET LOCAL search_path = ${schema}`);
      return client.query(row.replace('(stream', '(position, stream').replace(`('s'`, `(7, 's'`));
    });
    expect(codeOf(error)).to.equal('428C9');
  });

  it('has two B-trees over all its events and no more', async () => {
    const result = await database.pool.query<{ definition: string }>(
      `SELECT indexdef AS definition FROM pg_indexes WHERE schemaname = $1 AND tablename = 'event' ORDER BY 1`,
      [schema],
    );
    const whole = result.rows.filter(({ definition }) => !definition.includes(' WHERE '));
    const columns = whole.map(({ definition }) => /\(.+\)$/.exec(definition)?.[0] ?? '');
    expect(columns).to.have.members(['("position")', '(stream, revision)']);
  });
});
