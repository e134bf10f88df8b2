/** What can go wrong between us and a store. Every technology's own codes are mapped to these in one file per adapter. */
import type { ExpectedRevision, Position, Revision, StreamName } from './ledger.js';

/** The stream is not at the expected revision; `current` is undefined where it does not exist. */
export interface Conflict {
  readonly _tag: 'Conflict';
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly current: Revision | undefined;
}
/** The outcome is unknown: retry with the same ids and the same expected revision. */
export interface Unavailable {
  readonly _tag: 'Unavailable';
  readonly message: string;
}
export interface TooLarge {
  readonly _tag: 'TooLarge';
  readonly stream: StreamName;
  readonly bytes: number;
  readonly limit: number;
}
/** Never to be retried: wrong database, wrong privileges, a statement the server refuses. */
export interface Rejected {
  readonly _tag: 'Rejected';
  readonly message: string;
}
/** History that cannot be understood: stop, and show where. */
export interface Corrupt {
  readonly _tag: 'Corrupt';
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly position: Position;
  readonly message: string;
}

export type StoreError = Unavailable | Rejected | Corrupt;
export type AppendError = Conflict | TooLarge | StoreError;

export const conflict = (
  stream: StreamName,
  expected: ExpectedRevision,
  current: Revision | undefined,
): Conflict => ({ _tag: 'Conflict', stream, expected, current });
export const unavailable = (message: string): Unavailable => ({ _tag: 'Unavailable', message });
export const rejected = (message: string): Rejected => ({ _tag: 'Rejected', message });

/** Nothing can be asked of it any more. */
export const ledgerClosed: Rejected = rejected('the ledger is closed; open it again with openLedger');

export const explainStoreError = (error: AppendError): string => {
  switch (error._tag) {
    case 'Conflict':
      return `stream ${error.stream} is at revision ${error.current ?? 'none'}, expected ${error.expected}`;
    case 'TooLarge':
      return `the append to ${error.stream} has ${error.bytes} bytes, the limit is ${error.limit}`;
    case 'Corrupt':
      return `history cannot be read at position ${error.position} (stream ${error.stream}, revision ${error.revision}): ${error.message}`;
    case 'Unavailable':
    case 'Rejected':
      return error.message;
  }
};
