/** Writes the whole history, as it stands when it is begun, to a file; in bounded memory. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import * as E from 'fp-ts/lib/Either.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import { START, type Position } from '../../domain/ledger.js';
import type { EventStore, Page } from '../../domain/ports.js';
import { endText, eventText, headText } from './ledger-file.js';

export interface ExportOptions {
  /** Compressed where its name ends in `.gz`. */
  readonly path: string;
  /** Told the number of events behind every page. */
  readonly onProgress?: (events: number) => void;
}

const PAGE = 1_000;

/** What the store answered, on its way through the streams. */
class HistoryUnread extends Error {
  constructor(readonly storeError: StoreError) {
    super(storeError._tag);
  }
}

const pageOf = async (page: Promise<E.Either<StoreError, Page>>): Promise<Page> => {
  const read = await page;
  if (E.isLeft(read)) throw new HistoryUnread(read.left);
  return read.right;
};

async function* textOf(
  store: Pick<EventStore, 'readAll' | 'end'>,
  count: { events: number },
  onProgress: (events: number) => void,
): AsyncGenerator<string> {
  const end = await store.end()();
  if (E.isLeft(end)) throw new HistoryUnread(end.left);
  const upTo = end.right;
  const pageBehind = (after: Position): Promise<Page> =>
    pageOf(store.readAll({ after, upTo, limit: PAGE })());
  let page = await pageBehind(START);
  while (page.events.length === 0 && page.upTo < upTo) page = await pageBehind(page.upTo);
  yield headText(page.events[0]);
  for (;;) {
    yield page.events.map(eventText).join('');
    count.events += page.events.length;
    onProgress(count.events);
    if (page.upTo >= upTo) break;
    page = await pageBehind(page.upTo);
  }
  yield endText(count.events);
}

/** The file is there when all of it is: until then it has `.partial` behind its name. */
export const exportLedger = async (
  store: Pick<EventStore, 'readAll' | 'end'>,
  { path, onProgress = () => undefined }: ExportOptions,
): Promise<E.Either<StoreError, number>> => {
  const partial = `${path}.partial`;
  const count = { events: 0 };
  const text = Readable.from(textOf(store, count, onProgress), { objectMode: true, highWaterMark: 1 });
  const file = createWriteStream(partial);
  try {
    await (path.endsWith('.gz') ? pipeline(text, createGzip(), file) : pipeline(text, file));
    await rename(partial, path);
    return E.right(count.events);
  } catch (error) {
    await rm(partial, { force: true });
    if (error instanceof HistoryUnread) return E.left(error.storeError);
    const reason = error instanceof Error ? error.message : String(error);
    return E.left(rejected(`${path} cannot be written: ${reason}`));
  }
};
