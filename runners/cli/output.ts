/** Standard output and standard error as commands use them: answers on the one, everything else on the other. */
import type { Writable } from 'node:stream';
import { once } from 'node:events';

export interface Output {
  /**
   * Writes to standard output, waiting while its reader is slow. False where nobody reads any more (`… | head`): a command that
   * only tells can stop, one that writes to the ledger goes on.
   */
  readonly write: (text: string) => Promise<boolean>;
  readonly line: (text: string) => Promise<boolean>;
  /** One JSON document on a line of its own. */
  readonly json: (value: unknown) => Promise<boolean>;
  /** A line on standard error: a log line, a warning, why a command failed. */
  readonly tell: (text: string) => void;
  /** A line on standard error that the next one replaces, where a person is looking; otherwise one every few seconds, none at first. */
  readonly progress: (text: string) => void;
  /** The size of the terminal that standard output is, asked anew each time; undefined where it is none. */
  readonly terminal: (() => { readonly columns: number; readonly rows: number }) | undefined;
  /** Settled when everything has left this process; gives why it could not. */
  readonly flushed: () => Promise<string | undefined>;
}

/** JSON text; positions, revisions and numbers of jobs are decimal strings. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? member.toString() : member));

export interface Streams {
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly now: () => number;
}

const PROGRESS_EVERY_MS = 5_000;
/** Of a terminal that does not say. */
const COLUMNS = 80;
const ROWS = 24;

const progressLine = ({ stderr, now }: Streams) => {
  let isOpen = false;
  let last = now();
  const isWatched = stderr.isTTY === true;
  return {
    close: (): void => {
      if (isOpen) stderr.write('\n');
      isOpen = false;
    },
    show: (text: string): void => {
      if (isWatched) {
        stderr.write(`\r\u001B[K${text}`);
        isOpen = true;
      } else if (now() - last >= PROGRESS_EVERY_MS) {
        stderr.write(`${text}\n`);
        last = now();
      }
    },
  };
};

/** Settles when the stream takes more, or never will. */
const drained = async (stream: Writable): Promise<void> => {
  const settled = new AbortController();
  const { signal } = settled;
  await Promise.race([
    once(stream, 'drain', { signal }),
    once(stream, 'close', { signal }),
    once(stream, 'error', { signal }),
  ]).catch(() => undefined);
  settled.abort();
};

export const output = (streams: Streams): Output => {
  const { stdout, stderr } = streams;
  const progress = progressLine(streams);
  let isClosed = false;
  let failure: string | undefined;
  const close = (): void => {
    isClosed = true;
  };
  // A reader that has gone (EPIPE) has what it wanted; that is no failure. A disk that is full is one.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    close();
    if (error.code !== 'EPIPE') failure ??= error.message;
  });
  stdout.on('close', close);
  stderr.on('error', () => undefined);

  const write = async (text: string): Promise<boolean> => {
    if (isClosed) return false;
    if (!stdout.write(text)) await drained(stdout);
    return !isClosed;
  };
  return {
    write,
    line: (text) => write(`${text}\n`),
    json: (value) => write(`${toJson(value)}\n`),
    tell: (text) => {
      progress.close();
      stderr.write(`${text}\n`);
    },
    progress: progress.show,
    terminal:
      stdout.isTTY === true
        ? () => ({ columns: stdout.columns ?? COLUMNS, rows: stdout.rows ?? ROWS })
        : undefined,
    flushed: async () => {
      progress.close();
      if (!isClosed) await new Promise<void>((resolve) => stdout.write('', () => resolve()));
      return failure;
    },
  };
};
