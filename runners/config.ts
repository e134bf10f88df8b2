/**
 * Where things are: flags beat environment beats `jobledger.config.json` beats defaults. Decoded once; nothing else reads the
 * environment.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { firstFlaw } from '../domain/decoding.js';
import { unknownName } from '../domain/nearest.js';

export interface LedgerConfig {
  /** Undefined: the embedded PostgreSQL under `home`. */
  readonly databaseUrl: string | undefined;
  readonly home: string;
  readonly schema: string;
  /** `esdb://…`: where the history is. Undefined: beside the tables. */
  readonly eventstoreUrl?: string | undefined;
  /** What the names of the ledger's streams begin with there. */
  readonly ledger?: string | undefined;
}

export interface InvalidConfig {
  readonly _tag: 'InvalidConfig';
  readonly message: string;
}

export const CONFIG_FILE = 'jobledger.config.json';

const ConfigFile = t.partial({
  databaseUrl: t.string,
  home: t.string,
  schema: t.string,
  eventstoreUrl: t.string,
  ledger: t.string,
});
type ConfigFile = t.TypeOf<typeof ConfigFile>;

const KNOWN = ['databaseUrl', 'home', 'schema', 'eventstoreUrl', 'ledger'];
const ENVIRONMENT = {
  databaseUrl: 'JOBLEDGER_DATABASE_URL',
  home: 'JOBLEDGER_HOME',
  schema: 'JOBLEDGER_SCHEMA',
  eventstoreUrl: 'JOBLEDGER_EVENTSTORE_URL',
  ledger: 'JOBLEDGER_LEDGER',
} as const;

const invalid = (message: string): E.Either<InvalidConfig, never> =>
  E.left({ _tag: 'InvalidConfig', message });

const readFile = (path: string): E.Either<InvalidConfig, ConfigFile> => {
  if (!existsSync(path)) return E.right({});
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return invalid(
      `${CONFIG_FILE} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (typeof value !== 'object' || value === null) return invalid(`${CONFIG_FILE} is not a JSON object`);
  const stranger = Object.keys(value).find((key) => !KNOWN.includes(key));
  if (stranger !== undefined) return invalid(`${CONFIG_FILE}: ${unknownName('key', stranger, KNOWN)}`);
  const decoded = ConfigFile.decode(value);
  return E.isLeft(decoded) ? invalid(`${CONFIG_FILE}: ${firstFlaw(decoded.left)}`) : E.right(decoded.right);
};

export const readConfig = (
  flags: ConfigFile,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): E.Either<InvalidConfig, LedgerConfig> => {
  const file = readFile(join(folder, CONFIG_FILE));
  if (E.isLeft(file)) return file;
  const setting = (key: keyof typeof ENVIRONMENT): string | undefined =>
    flags[key] ?? (environment[ENVIRONMENT[key]] || undefined) ?? file.right[key];
  return E.right({
    databaseUrl: setting('databaseUrl'),
    home: setting('home') ?? '.jobledger',
    schema: setting('schema') ?? 'jobledger',
    eventstoreUrl: setting('eventstoreUrl'),
    ledger: setting('ledger') ?? 'jobledger',
  });
};
