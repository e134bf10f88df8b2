/** Jobs worth a look, found in the history, and the commands that show them. */
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import { jobIdOf, type RecordedEvent } from '../../domain/ledger.js';
import { shellWord } from '../cli/shell-word.js';
import { readConfig, type LedgerConfig } from '../config.js';
import type { Ledger } from '../ledger.js';

export interface Pointer {
  readonly command: string;
  readonly why: string;
}

const WORDS: readonly (readonly [verb: string, why: string])[] = [
  ['history', 'one that failed at first and succeeded later'],
  ['explain', 'one that was not run, and why'],
  ['job', 'one that was abandoned'],
];

const TOLD = ['AttemptFailed', 'AttemptSucceeded', 'JobSuperseded', 'JobAbandoned'];

const isOfLinks = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === 'refreshLinks';

/** Takes events in their order; gives the first job that failed and succeeded, the first of its links that was not run, the last abandoned. */
const found = () => {
  const failed = new Set<string>();
  let [retried, superseded, abandoned]: (string | undefined)[] = [];
  let hasLinks = false;
  return {
    look: ({ type, stream, data }: RecordedEvent): void => {
      const job = jobIdOf(stream);
      if (type === 'AttemptFailed') failed.add(stream);
      else if (type === 'AttemptSucceeded' && failed.has(stream)) retried ??= job;
      else if (type === 'JobAbandoned') abandoned = job;
      else if (type === 'JobSuperseded' && !hasLinks) {
        hasLinks = isOfLinks(data);
        if (hasLinks || superseded === undefined) superseded = job;
      }
    },
    jobs: () => [retried, superseded, abandoned],
  };
};

export const pointers =
  ({ store }: Pick<Ledger, 'store'>, flags: string): TaskEither<StoreError, readonly Pointer[]> =>
  async () => {
    const { look, jobs } = found();
    const end = await store.end()();
    if (E.isLeft(end)) return end;
    for (let after = 0n; after < end.right;) {
      const page = await store.readAll({ after, upTo: end.right, types: TOLD, limit: 5_000 })();
      if (E.isLeft(page)) return page;
      page.right.events.forEach(look);
      after = page.right.upTo;
    }
    return E.right(
      WORDS.flatMap(([verb, why], n) => {
        const id = jobs()[n];
        return id === undefined ? [] : [{ command: `npx jobledger ${verb} ${id} ${flags}`, why }];
      }),
    );
  };

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
    flags.push(`--database-url ${shellWord(databaseUrl)}`);
  }
  if (elsewhere !== undefined) flags.push(`--ledger ${elsewhere}`);
  if (eventstoreUrl !== undefined && eventstoreUrl !== other?.eventstoreUrl) {
    flags.push(`--eventstore-url ${shellWord(eventstoreUrl)}`);
  }
  if (databaseUrl === undefined && home !== other?.home)
    flags.push(`--home ${shellWord(resolve(cwd, home))}`);
  return flags.join(' ');
};
