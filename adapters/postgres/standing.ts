/** Why events were not inserted: the same ones stand there already, others do, or the stream is elsewhere. */
import { nextRevision, type Revision } from '../../domain/ledger.js';
import type { Appended } from '../../domain/ports.js';
import type { EncodedAppend } from '../encoded-append.js';
import { textArray } from './binary-array.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Cells, type Queryable } from './statement.js';

export type Standing =
  | { readonly _tag: 'AlreadyThere'; readonly appended: Appended }
  | { readonly _tag: 'Elsewhere'; readonly current: Revision | undefined }
  /** The stream stands where the append expected it: it got there only after the append had looked. */
  | { readonly _tag: 'Fits' };

const QUERY = `
SELECT
  (
    SELECT e.revision FROM __schema__.event e
    WHERE e.stream = q.stream AND __schema__.only_by_index(e.revision)
    ORDER BY e.revision DESC
    LIMIT 1
  )::text,
  (
    SELECT string_agg(e.id::text, ',' ORDER BY e.revision) FROM __schema__.event e
    WHERE e.stream = q.stream AND e.revision BETWEEN q.first AND q.last AND __schema__.only_by_index(e.revision)
  )
FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS q (stream, first, last, n)
ORDER BY q.n`;

const standingOf = ({ append, events, last }: EncodedAppend, [newest, ids]: Cells): Standing => {
  const { stream, expected } = append;
  const current = newest ? BigInt(newest) : undefined;
  if (ids === events.map(({ id }) => id).join(',')) {
    const appended = { stream, revision: last, alreadyThere: true };
    return { _tag: 'AlreadyThere', appended };
  }
  const fits = current === undefined ? expected === 'no-stream' : current + 1n === nextRevision(expected);
  return fits ? { _tag: 'Fits' } : { _tag: 'Elsewhere', current };
};

export const standingOutcomes = async (
  db: Queryable,
  schema: SchemaName,
  appends: readonly EncodedAppend[],
): Promise<readonly (readonly [EncodedAppend, Standing])[]> => {
  const rows = await rowsOf(db, prepared('standing', inSchema(QUERY, schema)), [
    textArray(appends.map(({ append }) => append.stream)),
    appends.map(({ append }) => String(nextRevision(append.expected))),
    appends.map(({ last }) => String(last)),
  ]);
  return appends.map((each, index) => [each, standingOf(each, rows[index] ?? [])]);
};
