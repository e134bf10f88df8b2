// The program's two streams: what waits, what is told when, and what happens when nobody reads.
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { output, toJson } from '../../../runners/cli/output.js';

/** A stream that takes one chunk at a time, each when it is told to. */
const slowStream = () => {
  const taken: string[] = [];
  let take: (() => void) | undefined;
  const stream = new Writable({
    highWaterMark: 4,
    decodeStrings: false,
    write: (chunk: string, _encoding, written) => {
      take = () => {
        taken.push(chunk);
        written();
      };
    },
  });
  return { stream, taken, takeNext: () => take?.() };
};

const collected = (isTTY: boolean) => {
  const chunks: string[] = [];
  const write = (chunk: string, _encoding: string, written: () => void): void => {
    chunks.push(chunk);
    written();
  };
  const stream = Object.assign(new Writable({ decodeStrings: false, write }), { isTTY });
  return { stream, text: () => chunks.join('') };
};

describe('output', () => {
  it('waits while its reader is slow', async () => {
    const { stream, taken, takeNext } = slowStream();
    const out = output({ stdout: stream, stderr: collected(false).stream, now: () => 0 });
    let isWritten = false;
    const writing = out.write('longer than the buffer').then((isRead) => {
      isWritten = true;
      return isRead;
    });
    await Promise.resolve();
    expect(isWritten).to.equal(false);
    takeNext();
    expect(await writing).to.equal(true);
    expect(taken).to.deep.equal(['longer than the buffer']);
  });

  it('says that nobody reads any more, also to a writer that is waiting', async () => {
    const { stream } = slowStream();
    const out = output({ stdout: stream, stderr: collected(false).stream, now: () => 0 });
    const writing = out.write('longer than the buffer');
    stream.destroy(new Error('EPIPE'));
    expect(await writing).to.equal(false);
    expect(await out.line('more')).to.equal(false);
    await out.flushed();
  });

  it('tells at the end what kept an answer from being written, where that is not a reader who left', async () => {
    for (const [code, told] of [
      ['ENOSPC', 'no space left'],
      ['EPIPE', undefined],
    ] as const) {
      const stdout = new Writable({
        write: (_chunk, _encoding, written) => written(Object.assign(new Error('no space left'), { code })),
      });
      const out = output({ stdout, stderr: collected(false).stream, now: () => 0 });
      await out.line('an answer');
      expect(await out.flushed()).to.equal(told);
    }
  });

  it('shows progress to a person on one line, and to a log every five seconds', () => {
    let now = 0;
    const say = (isTTY: boolean): string => {
      now = 0;
      const stderr = collected(isTTY);
      const out = output({ stdout: collected(false).stream, stderr: stderr.stream, now: () => now });
      for (const second of [1, 5, 9, 10]) {
        now = second * 1_000;
        out.progress(`${second} s`);
      }
      out.tell('done');
      return stderr.text();
    };
    expect(say(false)).to.equal('5 s\n10 s\ndone\n');
    expect(say(true)).to.equal('\r\u001B[K1 s\r\u001B[K5 s\r\u001B[K9 s\r\u001B[K10 s\ndone\n');
  });
});

describe('toJson', () => {
  it('writes positions and revisions as decimal strings, and counts as numbers', () => {
    expect(toJson({ position: 9_007_199_254_740_993n, rows: 3, none: undefined })).to.equal(
      '{"position":"9007199254740993","rows":3}',
    );
  });
});
