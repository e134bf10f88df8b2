/** What a prune has still to do where the history is elsewhere: its event, kept until it is appended and its streams are deleted. */
import { isLeft } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { decodeEvent, type EventOf } from '../../../domain/events.js';
import { rejected, type StoreError } from '../../../domain/errors.js';
import { Metadata, type ExpectedRevision, type NewEvent } from '../../../domain/ledger.js';
import { attempt, StoreFailure } from '../error-mapping.js';
import { inSchema, type SchemaName } from '../schema-name.js';
import { rowsOf, type Queryable } from '../statement.js';

export interface Posted {
  readonly event: NewEvent;
  readonly told: EventOf<'HistoryPruned'>['data'];
  /** Where it was to stand when it was last tried; undefined where it was not. */
  readonly expected: ExpectedRevision | undefined;
}

const POST = `INSERT INTO __schema__.prune_outbox (id, data, metadata) VALUES ($1, $2, $3)`;
const READ = `SELECT o.id::text, o.data::text, o.metadata::text, o.expected::text FROM __schema__.prune_outbox o`;
const AIM = `UPDATE __schema__.prune_outbox SET expected = $2 WHERE id = $1`;
const CLEAR = `DELETE FROM __schema__.prune_outbox WHERE id = $1`;

const NO_STREAM = -1n;

export const postOutbox = async (db: Queryable, schema: SchemaName, event: NewEvent): Promise<void> => {
  const { id, data, metadata } = event;
  await rowsOf(db, { text: inSchema(POST, schema) }, [id, JSON.stringify(data), JSON.stringify(metadata)]);
};

const expectedOf = (text: string | null | undefined): ExpectedRevision | undefined => {
  if (text === null || text === undefined) return undefined;
  const revision = BigInt(text);
  return revision === NO_STREAM ? 'no-stream' : revision;
};

export const readOutbox = (db: Queryable, schema: SchemaName): TaskEither<StoreError, Posted | undefined> =>
  attempt(async () => {
    const [row] = await rowsOf(db, { text: inSchema(READ, schema) }, []);
    if (row === undefined) return undefined;
    const [id = '', data, metadata, expected] = row;
    const stored: unknown = JSON.parse(metadata ?? 'null');
    const told = Metadata.is(stored)
      ? decodeEvent({ type: 'HistoryPruned', data: JSON.parse(data ?? 'null'), metadata: stored })
      : undefined;
    if (!Metadata.is(stored) || told === undefined || isLeft(told) || told.right.type !== 'HistoryPruned')
      throw new StoreFailure(rejected('what the last prune has left to do cannot be read (prune_outbox)'));
    const event: NewEvent = {
      id: id ?? '',
      type: told.right.type,
      event: told.right,
      data: told.right.data,
      metadata: stored,
    };
    return { event, told: told.right.data, expected: expectedOf(expected) };
  });

/** Before it is tried there: a try whose answer is lost is known again at the same place. */
export const aimOutbox = (
  db: Queryable,
  schema: SchemaName,
  id: string,
  expected: ExpectedRevision,
): TaskEither<StoreError, unknown> => {
  const revision = expected === 'no-stream' ? NO_STREAM : expected;
  return attempt(() => rowsOf(db, { text: inSchema(AIM, schema) }, [id, revision.toString()]));
};

export const clearOutbox = (db: Queryable, schema: SchemaName, id: string): TaskEither<StoreError, unknown> =>
  attempt(() => rowsOf(db, { text: inSchema(CLEAR, schema) }, [id]));
