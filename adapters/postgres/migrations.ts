/** The numbered migration files. A released one is never changed; what comes later is a new number. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../package-file.js';
import { inSchema, quoteIdentifier, type SchemaName } from './schema-name.js';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

const FOLDER = packageFile('adapters/postgres/sql');
const FILE = /^(\d{4})-([a-z0-9-]+)\.sql$/;

const readSql = (path: string): string => readFileSync(join(FOLDER, path), 'utf8').trimEnd();

export const readMigrations = (): readonly Migration[] => {
  const files = readdirSync(join(FOLDER, 'migrations')).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file, index) => {
    const [, digits, name] = FILE.exec(file) ?? [];
    if (name === undefined || Number(digits) !== index + 1) {
      throw new Error(`migration ${file} must be named ${String(index + 1).padStart(4, '0')}-name.sql`);
    }
    return { number: index + 1, name, sql: readSql(`migrations/${file}`) };
  });
};

export const migrationTable = (schema: SchemaName): string =>
  inSchema(readSql('migration-table.sql'), schema);

const claim = (schema: SchemaName, { number, name }: Migration): string =>
  `INSERT INTO ${quoteIdentifier(schema)}.migration (number, name) VALUES (${number}, '${name}');`;

/** The SQL of all migrations above `after`, as it would be run, for whoever prefers to run it by hand. */
export const plan = (schema: SchemaName, after = 0): string => {
  const pending = readMigrations().filter(({ number }) => number > after);
  const first = `CREATE SCHEMA IF NOT EXISTS ${quoteIdentifier(schema)};\n${migrationTable(schema)}`;
  const steps = pending.map(
    (migration) => `${claim(schema, migration)}\n\n${inSchema(migration.sql, schema)}`,
  );
  return [...(after === 0 ? [first] : []), ...steps].map((step) => `BEGIN;\n${step}\nCOMMIT;\n`).join('\n');
};
