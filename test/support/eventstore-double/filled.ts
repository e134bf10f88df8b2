// History that is there already, put into the double's log without a call: a ledger far ahead of its tables.
import { encodeAppend } from '../../../adapters/encoded-append.js';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { StreamAppend } from '../../../domain/ports.js';
import type { EventLog } from './log.js';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'));

/** Gives the number of events. */
export const fill = (log: EventLog, ledger: string, appends: Iterable<StreamAppend>): number => {
  let count = 0;
  for (const append of appends) {
    const encoded = encodeAppend(append);
    if (isLeft(encoded)) throw new Error(`${append.stream} cannot be stored`);
    const { events } = encoded.right;
    const proposed = events.map(({ id, type, data, metadata }) => ({
      id,
      type,
      isJson: true,
      data: bytes(data),
      metadata: bytes(metadata),
    }));
    const outcome = log.append(`${ledger}_${append.stream}`, append.expected, proposed);
    if (outcome._tag !== 'Written') throw new Error(`${append.stream}: ${outcome._tag}`);
    count += events.length;
  }
  return count;
};
