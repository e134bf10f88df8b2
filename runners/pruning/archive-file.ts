/**
 * The file that pruned jobs go to, in the form of an exported ledger. It is whole behind every batch, its last line included, and on the
 * disk before anything is deleted: what a crash may tear is only a batch that has not been deleted.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as E from 'fp-ts/lib/Either.js';
import { rejected, type StoreError } from '../../domain/errors.js';
import type { RecordedEvent } from '../../domain/ledger.js';
import { endText, headText } from '../transfer/ledger-file.js';

export interface Archive {
  /** Durable when it answers. `lines`: of whole streams, in the order of the history. */
  readonly add: (
    lines: readonly string[],
    first: RecordedEvent | undefined,
  ) => Promise<E.Either<StoreError, void>>;
  /** The last batch is still in the ledger: it is taken out again. */
  readonly retract: () => Promise<void>;
  readonly close: () => Promise<void>;
  /** Bytes of the file. */
  readonly bytes: () => number;
}

/** A name is on the disk when its folder is. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined); // not every system lets a folder be synchronised
  await folder?.close();
};

interface Place {
  readonly offset: number;
  readonly events: number;
}

/** Made with its first batch; compressed where its name ends in `.gz`, each batch by itself. */
export const archiveAt = (path: string): Archive => {
  const bytesOf = (text: string): Buffer => (path.endsWith('.gz') ? gzipSync(text) : Buffer.from(text));
  let file: FileHandle | undefined;
  let before: Place = { offset: 0, events: 0 };
  let place: Place = before;
  let length = 0;

  /** Everything from the offset on is written anew: the batch, and the last line behind it. */
  const write = async (
    to: FileHandle,
    from: Place,
    lines: readonly string[],
    head: string,
  ): Promise<void> => {
    const batch = lines.length === 0 ? Buffer.alloc(0) : bytesOf(head + lines.join(''));
    const events = from.events + lines.length;
    const all = Buffer.concat([batch, bytesOf(endText(events))]);
    for (let done = 0; done < all.length;) {
      done += (await to.write(all, done, all.length - done, from.offset + done)).bytesWritten;
    }
    length = from.offset + all.length;
    await to.truncate(length);
    await to.sync();
    before = from;
    place = { offset: from.offset + batch.length, events };
  };

  /** As it was behind that batch; not there where there was none. */
  const backTo = async (at: Place): Promise<void> => {
    if (file === undefined) return;
    if (at.events > 0) return write(file, at, [], '');
    await file.close();
    file = undefined;
    length = 0;
    await rm(path, { force: true });
  };

  return {
    add: async (lines, first) => {
      try {
        const isNew = file === undefined;
        file ??= await open(path, 'wx');
        await write(file, place, lines, isNew ? headText(first) : '');
        if (isNew) await syncFolder(path);
        return E.right(undefined);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        // Of what is in it already this may be the only copy. A disk that was full has room for the line that was there before.
        await backTo(place).catch(() => undefined);
        return E.left(
          rejected(`the archive ${path} cannot be written, so that nothing more was pruned: ${reason}`),
        );
      }
    },
    retract: () => backTo(before),
    close: async () => {
      await file?.close();
    },
    bytes: () => length,
  };
};
