// Job numbers raised to those that were restored, beside whoever draws them.
import { expect } from 'chai';
import { postgresJobIndex } from '../../../adapters/postgres/job-index.js';
import { raiseJobNumbers } from '../../../adapters/postgres/raise-job-numbers.js';
import { ledgerDatabase, type LedgerDatabase } from '../../support/ledger-database.js';
import { right } from '../../support/outcome.js';

const FAR = 1_000_000n;

describe('raising job numbers', () => {
  let database: LedgerDatabase;
  beforeEach(async () => {
    database = await ledgerDatabase();
  });
  afterEach(() => database.drop());

  const raise = (least: bigint): Promise<void> =>
    right(raiseJobNumbers(database.pool, database.schema, least));
  const draw = (count: number): Promise<readonly bigint[]> =>
    right(postgresJobIndex(database.pool, database.schema).drawNumbers(count));
  const sequence = async (): Promise<unknown> =>
    (await database.pool.query('SELECT * FROM jobledger.job_number')).rows[0];

  it('lets the next be drawn that follows, near and far, from the first number on', async () => {
    for (const least of [1n, 2n, 700n, 9_000n, FAR, FAR + 1n, 2n ** 53n + 1n, 2n ** 63n - 2n]) {
      await raise(least);
      expect(await draw(1)).to.deep.equal([least + 1n]);
    }
  });

  it('sets nothing where nothing has to rise', async () => {
    const [last = 0n] = await draw(1);
    const before = await sequence();
    await raise(last);
    await raise(0n);
    expect(await sequence()).to.deep.equal(before);
  });

  it('never lets a number be drawn twice, beside who draws and who raises', async () => {
    const drawn: bigint[] = [];
    let isRaising = true;
    const drawing = async (): Promise<void> => {
      while (isRaising) drawn.push(...(await draw(10)));
    };
    const raising = async (): Promise<void> => {
      for (let n = 1n; n <= 100n; n += 1n) {
        const least = n % 20n === 0n ? (n / 20n) * FAR : (drawn.at(-1) ?? 0n) + (n % 3n) * 5n;
        await raise(least);
        const [next = 0n] = await draw(1);
        expect(next > least).to.equal(true);
      }
    };
    const drawings = [1, 2, 3, 4].map(drawing);
    await Promise.all([raising(), raising()]).finally(() => {
      isRaising = false;
    });
    await Promise.all(drawings);
    expect(new Set(drawn).size).to.equal(drawn.length);
  });

  it('goes a long way behind transactions that have drawn, and says so where one stays open', async () => {
    const client = await database.pool.connect();
    try {
      await client.query(`BEGIN; SELECT nextval('jobledger.job_number')`);
      const outcome = await raiseJobNumbers(database.pool, database.schema, FAR)();
      expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    await raise(FAR);
    expect(await draw(1)).to.deep.equal([FAR + 1n]);
  });
});
