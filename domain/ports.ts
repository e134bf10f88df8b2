/** The doors of the domain to the outside: plain records of functions, each implemented once per technology. */
import type { Either } from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { AppendError, StoreError } from './errors.js';
import type { ExpectedRevision, NewEvent, Position, RecordedEvent, Revision, StreamName } from './ledger.js';

/** One stream's share of an append: all of its events are written, or none. `events` is not empty. */
export interface StreamAppend {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
  /** The writer has read or written the expected revision in this very store, so that it need not be looked up once more. */
  readonly isSeen?: boolean;
}

export interface Appended {
  readonly stream: StreamName;
  readonly revision: Revision;
  /** True where the same event ids already stood there: a retry of an append whose answer was lost. */
  readonly alreadyThere: boolean;
}

export type AppendOutcome = Either<AppendError, Appended>;

export interface ReadStreamOptions {
  readonly direction?: 'forward' | 'backward';
  /** First revision to read; default: the first (forward) or the last (backward). */
  readonly from?: Revision;
  readonly limit?: number;
}

export interface Filter {
  readonly streamPrefix?: string;
  readonly types?: readonly string[];
}

export interface ReadAllOptions extends Filter {
  /** Events strictly behind this position. */
  readonly after: Position;
  /** Events up to and including this position; default: as far as nothing can still appear before. */
  readonly upTo?: Position;
  /** Most events. There may be fewer, and more behind them: how far the page goes is told by its `upTo`. */
  readonly limit?: number;
}

/** A stretch of history. `upTo` may lie behind the last event: the filter took nothing in between. */
export interface Page {
  readonly events: readonly RecordedEvent[];
  readonly upTo: Position;
}

export type SubscriptionNotice =
  | { readonly _tag: 'CaughtUp'; readonly position: Position }
  | { readonly _tag: 'FellBehind'; readonly position: Position }
  | { readonly _tag: 'Dropped'; readonly reason: string };

export interface Subscription {
  readonly stop: Task<void>;
}

export interface SubscribeOptions extends Filter {
  /** A position: events strictly behind it. `start`: everything. `live`: what is appended from now on. */
  readonly from: Position | 'start' | 'live';
  /** Asked with one stretch at a time; the next is read when the task has ended. One that throws drops the subscription. */
  readonly onPage: (page: Page) => Task<void>;
  readonly onNotice?: (notice: SubscriptionNotice) => void;
}

export interface EventStore {
  /** Many streams in one call, each atomic and with an outcome of its own, in the order given. A stream may occur once. */
  readonly append: (appends: readonly StreamAppend[]) => TaskEither<StoreError, readonly AppendOutcome[]>;
  readonly readStream: (
    stream: StreamName,
    options?: ReadStreamOptions,
  ) => TaskEither<StoreError, readonly RecordedEvent[]>;
  /** Whole streams, several in one trip. Streams that do not exist are absent from the answer. */
  readonly readStreams: (
    streams: readonly StreamName[],
  ) => TaskEither<StoreError, ReadonlyMap<StreamName, readonly RecordedEvent[]>>;
  readonly readAll: (options: ReadAllOptions) => TaskEither<StoreError, Page>;
  /** The position up to which history is complete: nothing can appear at or before it any more. */
  readonly end: () => TaskEither<StoreError, Position>;
  readonly subscribe: (options: SubscribeOptions) => Subscription;
}
