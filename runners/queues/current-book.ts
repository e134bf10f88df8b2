/** Decisions about queues as they stand: where no append carries the tables, what others have just decided is taken up first. */
import * as E from 'fp-ts/lib/Either.js';
import type { QueueBook } from '../../projections/ports.js';
import type { Keeper } from '../keeper.js';

export const currentBook = (book: QueueBook, keeper: Pick<Keeper, 'upToDate'> | undefined): QueueBook =>
  keeper === undefined
    ? book
    : {
        decisions: () => async () => {
          const ready = await keeper.upToDate();
          return E.isLeft(ready) ? ready : book.decisions()();
        },
      };
