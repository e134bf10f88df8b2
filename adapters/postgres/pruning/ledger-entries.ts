/**
 * What concerns the history as a whole has a stream of its own: the log need not be searched for it. An entry names hundreds of jobs, and
 * there is one for each batch that was ever pruned: they are read some at a time, and none where nothing is new.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../../domain/errors.js';
import { LEDGER_STREAM, START, type Position, type RecordedEvent } from '../../../domain/ledger.js';
import type { EventStore, Page, ReadAllOptions } from '../../../domain/ports.js';

const ENTRIES_AT_A_TIME = 100;

type Ports = Pick<EventStore, 'readStream' | 'end'>;

const behind = async ({ readStream }: Ports, after: Position): Promise<Either<StoreError, boolean>> => {
  const newest = await readStream(LEDGER_STREAM, { direction: 'backward', limit: 1 })();
  return isLeft(newest) ? newest : right((newest.right[0]?.position ?? START) > after);
};

export const ledgerEntriesAsLog = (ports: Ports): EventStore['readAll'] => {
  /** Where the last page ended: entries up to this position come before this revision. */
  let known = { position: START, from: 0n };

  const pageOf = async (
    { after, types, limit = Infinity }: ReadAllOptions,
    last: Position,
  ): Promise<Either<StoreError, Page>> => {
    const most = Math.min(limit, ENTRIES_AT_A_TIME);
    const isWanted = ({ position, type }: RecordedEvent): boolean =>
      position > after && position <= last && (types === undefined || types.includes(type));
    let { from } = known.position <= after ? known : { from: 0n };
    for (;;) {
      const entries = await ports.readStream(LEDGER_STREAM, { from, limit: most })();
      if (isLeft(entries)) return entries;
      const end = entries.right.at(-1);
      if (end === undefined || end.position >= last)
        return right({ events: entries.right.filter(isWanted), upTo: last });
      from = end.revision + 1n;
      if (end.position <= after) continue;
      known = { position: end.position, from };
      return right({ events: entries.right.filter(isWanted), upTo: end.position });
    }
  };

  return (options) => async () => {
    const last = options.upTo === undefined ? await ports.end()() : right(options.upTo);
    if (isLeft(last)) return last;
    const isBehind = await behind(ports, options.after);
    if (isLeft(isBehind)) return isBehind;
    return isBehind.right ? pageOf(options, last.right) : right({ events: [], upTo: last.right });
  };
};
