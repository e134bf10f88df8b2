/** What the machine gives at most: commits, rows by one statement, rows by COPY. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { now } from '../programs/clock.mjs';
import type { Database } from '../server.js';
import { withDatabase, type Figures } from './measuring.js';

const ROWS = 1_000;
const TEXT = 'x'.repeat(300);

/** Rows a second of `step`, which writes `rows` of them. */
const rateOf = async (milliseconds: number, rows: number, step: () => Promise<unknown>): Promise<number> => {
  const begun = now();
  let written = 0;
  while (now() < begun + milliseconds) {
    await step();
    written += rows;
  }
  return (written * 1_000) / (now() - begun);
};

const insertOne = (client: pg.Client): Promise<unknown> =>
  client.query({ name: 'one', text: 'INSERT INTO limits (text) VALUES ($1)', values: [TEXT] });

const insertMany = (client: pg.Client): Promise<unknown> =>
  client.query({
    name: 'many',
    text: 'INSERT INTO limits (text) SELECT * FROM unnest($1::text[])',
    values: [Array.from({ length: ROWS }, () => TEXT)],
  });

const copyMany = (client: pg.Client): Promise<unknown> =>
  pipeline(
    Readable.from([`${TEXT}\n`.repeat(ROWS)]),
    client.query(copyFrom('COPY limits (text) FROM STDIN')),
  );

const withCallers = async (url: string, count: number, use: (client: pg.Client) => Promise<number>) => {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  const rates = await Promise.all(clients.map(use));
  await Promise.all(clients.map((client) => client.end()));
  return rates.reduce((sum, rate) => sum + rate, 0);
};

export const measureLimits = (database: () => Promise<Database>, milliseconds: number): Promise<Figures> =>
  withDatabase(database, async ({ url, client }) => {
    await client.query(
      'CREATE TABLE limits (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL)',
    );
    const ones = (caller: pg.Client): Promise<number> => rateOf(milliseconds, 1, () => insertOne(caller));
    return {
      'limit-commits-1': await ones(client),
      'limit-commits-16': await withCallers(url, 16, ones),
      'limit-rows': await rateOf(milliseconds, ROWS, () => insertMany(client)),
      'limit-copy': await rateOf(milliseconds, ROWS, () => copyMany(client)),
    };
  });
