// Many appenders that commit late, roll back or were busy elsewhere first; readers poll beside them.
import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import type pg from 'pg';
import { postgresEventStore } from '../../../adapters/postgres/event-store.js';
import { openHorizon, postgresObserve } from '../../../adapters/postgres/horizon.js';
import type { SchemaName } from '../../../adapters/postgres/schema-name.js';
import type { RecordedEvent } from '../../../domain/ledger.js';
import { newEvents, share, succeed } from '../../contract/appending.js';
import { horizonReader, mutantHorizon, naiveReader, type PollingReader } from '../../support/late-commits.js';
import { schemaDatabase, type SchemaDatabase } from '../../support/schemas.js';

const MILLISECONDS = 6_000;
const APPENDERS = 10;
const SHARED_STREAMS = 20;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
const chance = (probability: number): boolean => Math.random() < probability;

describe('readers beside appenders that commit late', () => {
  let database: SchemaDatabase;
  let pool: pg.Pool;
  let schema: SchemaName;
  before(async () => {
    database = await schemaDatabase(APPENDERS + 10);
    pool = database.pool;
    schema = await database.migratedSchema();
    await pool.query(`CREATE TABLE ${schema}.elsewhere (id integer)`);
  });
  after(() => database.drop());

  /** One transaction of an appender; how many of its events were committed. */
  const appendOnce = async (client: pg.PoolClient): Promise<void> => {
    const store = postgresEventStore(client, { schema });
    await client.query('BEGIN');
    if (chance(0.3)) {
      await client.query(`INSERT INTO ${schema}.elsewhere VALUES (1)`);
      await pause(Math.random() * 20);
    }
    const stream = `job-${Math.floor(Math.random() * SHARED_STREAMS)}`;
    const last = (await succeed(store.readStream(stream, { direction: 'backward', limit: 1 }))).at(
      0,
    )?.revision;
    const outcomes = await store.append([
      share(stream, last ?? 'no-stream', newEvents(1 + Math.floor(Math.random() * 5))),
    ])();
    await pause(chance(0.02) ? 300 : Math.random() * 30);
    await client.query(isRight(outcomes) && !chance(0.1) ? 'COMMIT' : 'ROLLBACK');
  };

  const appendUntil = async (deadline: number): Promise<void> => {
    const client = await pool.connect();
    try {
      while (Date.now() < deadline) await appendOnce(client);
    } finally {
      client.release();
    }
  };

  const pollUntil = async (reader: PollingReader, isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      await reader.poll();
      await pause(3);
    }
    // Nobody appends any more: what is not seen now never will be.
    for (let last = 0; last < 3; last += 1) await reader.poll();
  };

  const inForeignTransaction = async (work: Promise<unknown>): Promise<void> => {
    const client = await pool.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query(`INSERT INTO ${schema}.elsewhere VALUES (2)`);
    await work;
    await client.query('ROLLBACK');
    client.release();
  };

  const keys = (events: readonly RecordedEvent[]): readonly string[] =>
    events.map(({ position, stream, revision, id }) => `${position} ${stream} ${revision} ${id}`);

  it('ours sees every committed event once and in order; those with a flaw are seen to lose some', async () => {
    const ours = horizonReader(pool, schema, openHorizon(postgresObserve(pool, schema)));
    const mutant = horizonReader(
      pool,
      schema,
      mutantHorizon(pool, schema, () => pause(4)),
    );
    const naive = naiveReader(pool, schema);
    let isOver = false;
    const deadline = Date.now() + MILLISECONDS;
    const appending = Promise.all(Array.from({ length: APPENDERS }, () => appendUntil(deadline))).finally(
      () => {
        isOver = true;
      },
    );
    const lagged: number[] = [];
    const reading = Promise.all([ours, mutant, naive].map((reader) => pollUntil(reader, () => isOver)));
    const foreign = inForeignTransaction(appending.then(() => lagged.push(ours.seen.length)));
    await Promise.all([appending, reading, foreign]);

    const committed = await succeed(postgresEventStore(pool, { schema }).readAll({ after: 0n }));
    expect(committed.events.length).to.be.above(200);
    expect(keys(ours.seen)).to.deep.equal(keys(committed.events));
    // The foreign transaction, open all the time, held nobody up.
    expect(lagged[0]).to.be.above(committed.events.length / 2);
    expect(naive.seen.length, 'a naive reader').to.be.below(committed.events.length);
    expect(mutant.seen.length, 'a reader of the holders first').to.be.below(committed.events.length);
  });
});
