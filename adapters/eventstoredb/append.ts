/**
 * Appends: one call a stream, so many at a time, each with a deadline. A call whose outcome is unknown is repeated with the same ids at
 * the same revision, and a conflict that it then meets is compared by id before it counts as one (ADR 10).
 */
import type { EventStoreDBClient } from '@eventstore/db-client';
import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import { conflict, rejected, unavailable } from '../../domain/errors.js';
import { nextRevision, type Position } from '../../domain/ledger.js';
import type { AppendOutcome, StreamAppend } from '../../domain/ports.js';
import { encodeAppend, repeatedStream, type EncodedAppend } from '../encoded-append.js';
import type { Address } from './connection.js';
import { eventData } from './encoding.js';
import { StoreFailure } from './errors.js';
import type { Limiter } from './limiter.js';
import { readStream, type Reading } from './read.js';
import { allEnded, untilKnown, type KnownFault } from './until-known.js';

export interface Appending extends Reading {
  readonly address: Address;
  readonly limited: Limiter;
  /** Reads go another way than appends. */
  readonly reading: Reading;
  /** Highest position this process has seen: what stands at or before it was not written now. */
  readonly seen: { position: Position };
}

/** Above this the server is not asked: it takes no message of that size. */
const MESSAGE_BYTES = 16 * 1024 * 1024;

const expectedRevision = ({ append: { expected } }: EncodedAppend): bigint | 'no_stream' =>
  expected === 'no-stream' ? 'no_stream' : expected;

/** The same events at the same place, whoever wrote them; undefined where others stand there. */
const standing = async (
  { reading }: Appending,
  { append, events, last }: EncodedAppend,
): Promise<AppendOutcome | undefined> => {
  const { stream, expected } = append;
  const there = await readStream(reading, stream, { from: nextRevision(expected), limit: events.length });
  const isSame = there.length === events.length && there.every(({ id }, index) => id === events[index]?.id);
  return isSame ? right({ stream, revision: last, alreadyThere: true }) : undefined;
};

export const noteSeen = ({ seen }: Pick<Appending, 'seen'>, position: Position): void => {
  if (position > seen.position) seen.position = position;
};

const send = async (appending: Appending, encoded: EncodedAppend): Promise<AppendOutcome> => {
  const { clients, names, address, deadlineMs, seen } = appending;
  const { stream } = encoded.append;
  const before = seen.position;
  const call = (client: EventStoreDBClient) =>
    client.appendToStream(names.onServer(stream), eventData(encoded), {
      expectedRevision: expectedRevision(encoded),
      credentials: address.credentials,
      requiresLeader: true,
      deadline: deadlineMs,
    });
  const { position } = await clients.use(call, deadlineMs + 500);
  if (position === undefined)
    return (await standing(appending, encoded)) ?? left(unavailable(`${stream}: no position`));
  noteSeen(appending, position.commit);
  const alreadyThere = position.commit <= before;
  return right({ stream, revision: encoded.last, alreadyThere });
};

const settled = async (
  appending: Appending,
  encoded: EncodedAppend,
  fault: KnownFault,
  wasInDoubt: boolean,
): Promise<AppendOutcome> => {
  const { stream, expected } = encoded.append;
  switch (fault._tag) {
    case 'WrongRevision': {
      const current = fault.current === 'no_stream' ? undefined : fault.current;
      const own = wasInDoubt ? await standing(appending, encoded) : undefined;
      return own ?? left(conflict(stream, expected, current));
    }
    case 'TooLarge':
      return left({ _tag: 'TooLarge', stream, bytes: encoded.bytes, limit: fault.limit });
    case 'NoStream':
      return left(conflict(stream, expected, undefined));
    case 'Refused':
      return left(rejected(`EventStoreDB refused the append to ${stream}: ${fault.message}`));
  }
};

const appendOne = (appending: Appending, encoded: EncodedAppend): Promise<AppendOutcome> =>
  untilKnown(
    () => send(appending, encoded),
    (fault, wasInDoubt) => settled(appending, encoded, fault, wasInDoubt),
  );

const appendLimited = (appending: Appending, append: StreamAppend): Promise<AppendOutcome> => {
  const encoded = encodeAppend(append);
  if (isLeft(encoded)) return Promise.resolve(encoded);
  const { bytes } = encoded.right;
  if (bytes > MESSAGE_BYTES) {
    return Promise.resolve(left({ _tag: 'TooLarge', stream: append.stream, bytes, limit: MESSAGE_BYTES }));
  }
  return appending.limited(() => appendOne(appending, encoded.right));
};

/** Where one outcome stays unknown the whole call is: whoever repeats it is told that the others are there already. */
export const appendAll = async (
  appending: Appending,
  appends: readonly StreamAppend[],
): Promise<readonly AppendOutcome[]> => {
  const repeated = repeatedStream(appends);
  if (repeated !== undefined)
    throw new StoreFailure(rejected(`stream ${repeated} occurs twice in one append`));
  return allEnded(appends.map((append) => appendLimited(appending, append)));
};
