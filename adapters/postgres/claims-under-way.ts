/**
 * Who claims at this moment. A claim that began before a limit was written may have been decided without it: whoever completes the slots
 * of that limit waits until it is committed. Nobody waits for who waits.
 */
import { pause } from '../pause.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Queryable } from './statement.js';

const LOCK = `27246, '__schema__.claim_slot'::regclass::oid::integer`;

/** Goes before a claim looks at anything; held until it is committed. */
export const markClaim = (schema: SchemaName): string =>
  inSchema(`SELECT pg_advisory_xact_lock_shared(${LOCK})`, schema);

const HOLDERS = `
SELECT DISTINCT l.virtualtransaction
FROM pg_catalog.pg_locks l
WHERE l.locktype = 'advisory' AND l.classid = 27246 AND l.objid = '__schema__.claim_slot'::regclass::oid AND l.objsubid = 2
  AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())`;

const LOOK_AGAIN_MS = 10;
const PATIENCE_MS = 2_000;

/** True when all claims that were under way at the call are over; false where some take long. */
export const claimsAreOver = async (db: Queryable, schema: SchemaName): Promise<boolean> => {
  const holders = prepared('claims-under-way', inSchema(HOLDERS, schema));
  const look = async (): Promise<readonly string[]> =>
    (await rowsOf(db, holders, [])).flatMap(([holder]) => holder ?? []);
  const deadline = performance.now() + PATIENCE_MS;
  let left = await look();
  while (left.length > 0 && performance.now() < deadline) {
    await pause(LOOK_AGAIN_MS);
    const now = new Set(await look());
    left = left.filter((holder) => now.has(holder));
  }
  return left.length === 0;
};
