/** Jobs worth a look, found in the history, and the commands that show them. */
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { attempt } from '../../adapters/postgres/error-mapping.js';
import { inSchema } from '../../adapters/postgres/schema-name.js';
import { rowsOf } from '../../adapters/postgres/statement.js';
import type { StoreError } from '../../domain/errors.js';
import { readConfig, type LedgerConfig } from '../config.js';
import type { Ledger } from '../ledger.js';

export interface Pointer {
  readonly command: string;
  readonly why: string;
}

const FIRST_OF_EACH = `
SELECT
  (SELECT substr(f.stream, 5) FROM __schema__.event f JOIN __schema__.event s ON s.stream = f.stream AND s.type = 'AttemptSucceeded'
   WHERE f.type = 'AttemptFailed' ORDER BY f.position LIMIT 1),
  (SELECT substr(e.stream, 5) FROM __schema__.event e WHERE e.type = 'JobSuperseded'
   ORDER BY e.data->>'type' = 'refreshLinks' DESC, e.position LIMIT 1),
  (SELECT substr(e.stream, 5) FROM __schema__.event e WHERE e.type = 'JobAbandoned' ORDER BY e.position DESC LIMIT 1)`;

const WORDS: readonly (readonly [verb: string, why: string])[] = [
  ['history', 'one that failed at first and succeeded later'],
  ['explain', 'one that was not run, and why'],
  ['job', 'one that was abandoned'],
];

export const pointers = (
  { pool, schema }: Pick<Ledger, 'pool' | 'schema'>,
  flags: string,
): TaskEither<StoreError, readonly Pointer[]> =>
  attempt(async () => {
    const [ids = []] = await rowsOf(pool, { text: inSchema(FIRST_OF_EACH, schema) }, []);
    return WORDS.flatMap(([verb, why], n) => {
      const id = ids[n];
      return id === null || id === undefined
        ? []
        : [{ command: `npx jobledger ${verb} ${id} ${flags}`, why }];
    });
  });

const quoted = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The flags by which a command of this folder finds the ledger: its schema, and what only this command line has said. */
export const findingFlags = (
  config: LedgerConfig,
  schema: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string => {
  const unsaid = readConfig({}, env, cwd);
  const other = E.isRight(unsaid) ? unsaid.right : undefined;
  const { databaseUrl, home } = config;
  const flags = [`--schema ${schema}`];
  if (databaseUrl !== undefined && databaseUrl !== other?.databaseUrl) {
    flags.push(`--database-url ${quoted(databaseUrl)}`);
  }
  if (databaseUrl === undefined && home !== other?.home) flags.push(`--home ${quoted(resolve(cwd, home))}`);
  return flags.join(' ');
};
