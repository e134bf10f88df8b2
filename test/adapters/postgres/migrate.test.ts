import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { postgresEventStore } from '../../../adapters/postgres/event-store.js';
import { migrate, requireMigrated } from '../../../adapters/postgres/migrate.js';
import { plan, readMigrations } from '../../../adapters/postgres/migrations.js';
import { schemaName } from '../../../adapters/postgres/schema-name.js';
import { newStream, outcomesOf, share, succeed } from '../../contract/appending.js';
import { schemaDatabase, type SchemaDatabase } from '../../support/schemas.js';

const known = readMigrations().length;

describe('migrate', () => {
  let database: SchemaDatabase;
  before(async () => {
    database = await schemaDatabase();
  });
  after(() => database.drop());

  it('brings an empty database up to date, and finds nothing to do after that', async () => {
    const schema = database.emptySchema();
    const first = await succeed(migrate(database.pool, schema));
    expect(first).to.deep.include({ from: 0, to: known });
    expect(first.applied).to.have.length(known);
    expect(await succeed(migrate(database.pool, schema))).to.deep.equal({
      from: known,
      to: known,
      applied: [],
    });
    await succeed(requireMigrated(database.pool, schema));
  });

  it('may run in several programs at once', async () => {
    const schema = database.emptySchema();
    const runs = await Promise.all(Array.from({ length: 4 }, () => succeed(migrate(database.pool, schema))));
    expect(runs.flatMap(({ applied }) => applied)).to.have.length(known);
  });

  it('uses a schema that an administrator has made', async () => {
    const schema = database.emptySchema();
    await database.pool.query(`CREATE SCHEMA ${schema}`);
    expect(await succeed(migrate(database.pool, schema))).to.deep.include({ from: 0, to: known });
  });

  it('goes on where a failed run ended', async () => {
    const schema = database.emptySchema();
    // The name of the history's table is taken, so that migration 1 fails after it has claimed its number.
    await database.pool.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.event ()`);
    const failed = await migrate(database.pool, schema)();
    expect(failed)
      .to.have.nested.property('left.message')
      .that.matches(/already exists/);
    await database.pool.query(`DROP TABLE ${schema}.event`);
    expect((await succeed(migrate(database.pool, schema))).applied).to.have.length(known);
  });

  it('refuses, in a sentence, a schema that a newer version has migrated', async () => {
    const schema = await database.migratedSchema();
    await database.pool.query(`INSERT INTO ${schema}.migration (number, name) VALUES ($1, 'later')`, [
      known + 1,
    ]);
    for (const task of [migrate(database.pool, schema), requireMigrated(database.pool, schema)]) {
      const outcome = await task();
      expect(outcome).to.have.nested.property('left._tag', 'Rejected');
      expect(outcome)
        .to.have.nested.property('left.message')
        .that.matches(new RegExp(`at migration ${known + 1}.+knows only ${known}.+newer version`));
    }
  });

  it('tells a program that does not migrate what to do', async () => {
    const outcome = await requireMigrated(database.pool, database.emptySchema())();
    expect(outcome)
      .to.have.nested.property('left.message')
      .that.matches(/run jobledger migrate/);
  });

  it('prints SQL that does the same by hand', async () => {
    const schema = database.emptySchema();
    await database.pool.query(plan(schema));
    await succeed(requireMigrated(database.pool, schema));
    expect(plan(schema, known)).to.equal('');
    expect(plan(schema)).not.to.include('__schema__');
  });

  it('does not wait long for a table that somebody reads, and loses nothing of the traffic (field case 28)', async () => {
    const schema = await database.migratedSchema();
    const { pool } = database;
    const store = postgresEventStore(pool, { schema });
    const reader = await pool.connect();
    await reader.query('BEGIN');
    await reader.query(`SELECT count(*) FROM ${schema}.migration`);
    // Another version's migration that needs the table for itself.
    const blocked = pool
      .query(`BEGIN; SET LOCAL lock_timeout = '300ms'; ALTER TABLE ${schema}.migration ADD x integer`)
      .catch((reason: unknown) => reason);
    const appended = await Promise.all(
      Array.from({ length: 50 }, () => outcomesOf(store, share(newStream(), 'no-stream'))),
    );
    expect(appended.flat().every(isRight)).to.equal(true);
    expect(await blocked).to.have.property('code', '55P03');
    await reader.query('COMMIT');
    reader.release();
    await succeed(migrate(pool, schema));
    await store.close();
  });
});

describe('the name of the schema', () => {
  for (const name of ['jobledger', '_', 'a1', 'x'.repeat(41)]) {
    it(`may be ${name}`, () => {
      expect(schemaName(name)).to.deep.equal({ _tag: 'Right', right: name });
    });
  }

  for (const name of [
    '',
    'Jobs',
    '1a',
    'a-b',
    'x'.repeat(42),
    'pg_jobs',
    `x'; DROP TABLE job; --`,
    `public"."job`,
    'a b',
    'jobs\n',
    'é',
  ]) {
    it(`may not be ${JSON.stringify(name)}`, () => {
      const outcome = schemaName(name);
      expect(outcome).to.have.nested.property('left.message').that.includes(JSON.stringify(name));
    });
  }
});
