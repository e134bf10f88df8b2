/**
 * Events of a file as appends: as many as bearable in one call, whose streams are written in any order. So what asks for work never goes
 * with an attempt of its queue that stands before it: the other way round that attempt would have begun later, and cover it.
 */
import * as t from 'io-ts';
import type { EventType } from '../../domain/events.js';
import type { Revision, StreamName } from '../../domain/ledger.js';
import type { StreamAppend } from '../../domain/ports.js';
import type { FileEvent } from './ledger-file.js';

/** Successive events of one stream. */
export interface Share {
  readonly stream: StreamName;
  readonly first: Revision;
  readonly events: FileEvent[];
  bytes: number;
}

export interface Batch {
  readonly shares: ReadonlyMap<StreamName, Share>;
  readonly bytes: number;
}

export const appendOf = ({
  stream,
  first,
  events,
}: Pick<Share, 'stream' | 'first' | 'events'>): StreamAppend => ({
  stream,
  expected: first === 0n ? 'no-stream' : first - 1n,
  events: events.map(({ event }) => event),
});

const MOST_EVENTS = 500;
const MOST_BYTES = 4 * 1024 * 1024;
/** An append of one stream has to travel in one piece, and a server takes a megabyte. */
const SHARE_BYTES = 256 * 1024;

const ASKING: ReadonlySet<string> = new Set<EventType>(['JobEnqueued', 'JobRequeued', 'DuplicateSuppressed']);
const BEGINNING: EventType = 'AttemptStarted';

const OfQueue = t.type({ wiki: t.string, type: t.string });
const queueOf = ({ event: { data } }: FileEvent): string =>
  OfQueue.is(data) ? `${data.wiki}\n${data.type}` : '';

interface Open {
  readonly shares: Map<StreamName, Share>;
  /** Queues of which an attempt begins here. */
  readonly begun: Set<string>;
  events: number;
  bytes: number;
}

const nothing = (): Open => ({ shares: new Map(), begun: new Set(), events: 0, bytes: 0 });

const fits = (open: Open, next: FileEvent): boolean => {
  if (open.events === 0) return true;
  if (open.events >= MOST_EVENTS || open.bytes + next.bytes > MOST_BYTES) return false;
  if (ASKING.has(next.event.type) && open.begun.has(queueOf(next))) return false;
  const share = open.shares.get(next.stream);
  if (share === undefined) return true;
  return (
    share.first + BigInt(share.events.length) === next.revision && share.bytes + next.bytes <= SHARE_BYTES
  );
};

const add = (open: Open, next: FileEvent): void => {
  const { stream, revision: first, bytes } = next;
  const share = open.shares.get(stream) ?? { stream, first, events: [], bytes: 0 };
  open.shares.set(stream, share);
  share.events.push(next);
  share.bytes += bytes;
  open.events += 1;
  open.bytes += bytes;
  if (next.event.type === BEGINNING) open.begun.add(queueOf(next));
};

/** The first event goes alone: by it a ledger that was restored in part is known again. */
export async function* batchesOf(events: AsyncIterable<FileEvent>): AsyncGenerator<Batch> {
  let open = nothing();
  let isFirst = true;
  for await (const next of events) {
    if (!fits(open, next)) {
      yield open;
      open = nothing();
    }
    add(open, next);
    if (!isFirst) continue;
    yield open;
    open = nothing();
    isFirst = false;
  }
  if (open.events > 0) yield open;
}
