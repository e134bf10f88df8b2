/** Finished roots that stay: by the newest of its family that has succeeded older roots and leaves are judged, and their rows dropped. */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../../domain/errors.js';
import { attempt } from '../error-mapping.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import { rowsOf, type Queryable } from '../statement.js';

const NEWEST = `
SELECT r.job::text
FROM __schema__.root_job r
WHERE r.job = ANY ($1::uuid[]) AND NOT EXISTS (
  SELECT FROM __schema__.root_job n
  WHERE n.wiki = r.wiki AND n.type = r.type AND n.signature = r.signature
    AND n.state = 'succeeded' AND n.timestamp > r.timestamp
)`;

/** Of these jobs those that are the newest succeeded root of their family. */
export const newestRoots = (
  db: Queryable,
  schema: SchemaName,
  jobIds: readonly string[],
): TaskEither<StoreError, ReadonlySet<string>> =>
  attempt(async () => {
    const rows = await rowsOf(db, { text: inSchema(NEWEST, schema) }, [jobIds]);
    return new Set(rows.map(([job]) => job ?? ''));
  });
