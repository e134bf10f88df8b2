/** The one codec and the one quoting of the ledger's schema name: the only identifier in our SQL that a user chooses. */
import { left, right, type Either } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { rejected, type Rejected } from '../../domain/errors.js';

interface SchemaNameBrand {
  readonly SchemaName: unique symbol;
}

export const SchemaName = t.brand(
  t.string,
  (text): text is t.Branded<string, SchemaNameBrand> =>
    /^[a-z_][a-z0-9_]{0,40}$/.test(text) && !text.startsWith('pg_'),
  'SchemaName',
);
export type SchemaName = t.TypeOf<typeof SchemaName>;

export const schemaName = (text: string): Either<Rejected, SchemaName> =>
  SchemaName.is(text)
    ? right(text)
    : left(
        rejected(
          `${JSON.stringify(text)} cannot be the name of the ledger's schema: 1 to 41 of a-z, 0-9 and _, ` +
            'not beginning with a digit or with pg_',
        ),
      );

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** SQL with the quoted schema in the place of every `__schema__`. */
export const inSchema = (sql: string, schema: SchemaName): string =>
  sql.replaceAll('__schema__', quoteIdentifier(schema));
