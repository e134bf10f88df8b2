/**
 * `COPY … FROM STDIN` of data that are at hand: statement, data and end leave in one write, and one trip brings the answer. A server that
 * refuses the statement drops the data behind it. Rows that come one by one go through copy-lines.ts.
 */
import type pg from 'pg';

const COPY_DATA = 'd'.charCodeAt(0);
const COPY_DONE = 'c'.charCodeAt(0);
const HEAD_BYTES = 5;

/** CopyData with all lines, and CopyDone: a letter each, and the length that includes itself. */
const copyMessages = (lines: string): Buffer => {
  const size = Buffer.byteLength(lines);
  const buffer = Buffer.allocUnsafe(size + 2 * HEAD_BYTES);
  buffer[0] = COPY_DATA;
  buffer.writeInt32BE(size + 4, 1);
  buffer.write(lines, HEAD_BYTES);
  buffer[HEAD_BYTES + size] = COPY_DONE;
  buffer.writeInt32BE(4, HEAD_BYTES + size + 1);
  return buffer;
};

class CopyIn implements pg.Submittable {
  constructor(
    private readonly text: string,
    private readonly lines: string,
    private readonly settle: (failure: Error | undefined) => void,
  ) {}

  submit(connection: pg.Connection): void {
    connection.stream.cork();
    connection.query(this.text);
    connection.stream.write(copyMessages(this.lines));
    connection.stream.uncork();
  }

  /** The data are on their way already. */
  handleCopyInResponse(): void {
    return undefined;
  }

  handleCommandComplete(): void {
    return undefined;
  }

  /** What is asked next waits until the server has said that it is ready again. */
  handleError(failure: Error): void {
    this.settle(failure);
  }

  handleReadyForQuery(): void {
    this.settle(undefined);
  }
}

export const copyIn = (client: pg.ClientBase, text: string, lines: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (failure: Error | undefined): void => {
      if (failure === undefined) resolve();
      else reject(failure);
    };
    client.query(new CopyIn(text, lines, settle));
  });
