/** Jobs worth a look, found in the history, and the commands that show them. */
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { attempt } from '../../adapters/postgres/error-mapping.js';
import { inSchema } from '../../adapters/postgres/schema-name.js';
import { succeeded } from '../../adapters/postgres/outcome.js';
import { rowsOf } from '../../adapters/postgres/statement.js';
import type { StoreError } from '../../domain/errors.js';
import { jobIdOf } from '../../domain/ledger.js';
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

/** The same from a history that can only be read in order. */
const inOrder = async (store: Ledger['store']): Promise<readonly (string | undefined)[]> => {
  const failed = new Set<string>();
  let [retried, superseded, abandoned]: (string | undefined)[] = [];
  let isOfLinks = false;
  const end = await succeeded(store.end());
  for (let after = 0n; after < end;) {
    const page = await succeeded(store.readAll({ after, upTo: end, types: TOLD, limit: 5_000 }));
    for (const { type, stream, data } of page.events) {
      const job = jobIdOf(stream);
      if (type === 'AttemptFailed') failed.add(stream);
      else if (type === 'AttemptSucceeded' && failed.has(stream)) retried ??= job;
      else if (type === 'JobAbandoned') abandoned = job;
      else if (type === 'JobSuperseded' && !isOfLinks) {
        isOfLinks =
          typeof data === 'object' && data !== null && 'type' in data && data.type === 'refreshLinks';
        if (isOfLinks || superseded === undefined) superseded = job;
      }
    }
    after = page.upTo;
  }
  return [retried, superseded, abandoned];
};

const TOLD = ['AttemptFailed', 'AttemptSucceeded', 'JobSuperseded', 'JobAbandoned'];

export const pointers = (
  { pool, schema, store, elsewhere }: Pick<Ledger, 'pool' | 'schema' | 'store' | 'elsewhere'>,
  flags: string,
): TaskEither<StoreError, readonly Pointer[]> =>
  attempt(async () => {
    const ids =
      elsewhere === undefined
        ? ((await rowsOf(pool, { text: inSchema(FIRST_OF_EACH, schema) }, []))[0] ?? [])
        : await inOrder(store);
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
  { schema, elsewhere }: Pick<Ledger, 'schema' | 'elsewhere'>,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string => {
  const unsaid = readConfig({}, env, cwd);
  const other = E.isRight(unsaid) ? unsaid.right : undefined;
  const { databaseUrl, home, eventstoreUrl } = config;
  const flags = [`--schema ${schema}`];
  if (databaseUrl !== undefined && databaseUrl !== other?.databaseUrl) {
    flags.push(`--database-url ${quoted(databaseUrl)}`);
  }
  if (elsewhere !== undefined) flags.push(`--ledger ${elsewhere}`);
  if (eventstoreUrl !== undefined && eventstoreUrl !== other?.eventstoreUrl) {
    flags.push(`--eventstore-url ${quoted(eventstoreUrl)}`);
  }
  if (databaseUrl === undefined && home !== other?.home) flags.push(`--home ${quoted(resolve(cwd, home))}`);
  return flags.join(' ');
};
