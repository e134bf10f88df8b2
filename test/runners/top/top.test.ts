// Progress on its way from a handler to whoever watches.
import { Writable } from 'node:stream';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { runCli } from '../../../runners/cli/run-cli.js';
import type { JobContext } from '../../../runners/define-job.js';
import { topSnapshot } from '../../../runners/top/snapshot.js';
import { right } from '../../support/ledger-database.js';
import { enqueued, testLedger, type TestLedger } from '../../support/ledger.js';
import { working } from '../../support/runners.js';
import { gate, until } from '../../support/waiting.js';
import { commandLine, type Said } from '../cli/command-line.js';

describe('progress and top', () => {
  let ledger: TestLedger;
  let jobledger: (...args: readonly string[]) => Promise<Said>;
  beforeEach(async () => {
    ledger = await testLedger();
    jobledger = commandLine({ JOBLEDGER_DATABASE_URL: ledger.url });
  });
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    await ledger.drop();
  });

  const told = async (): Promise<readonly unknown[]> =>
    (await right(ledger.board.runners())).flatMap(({ progress }) => progress.map(({ value }) => value));

  /** A job that runs until the door is opened, and its context. */
  const running = async (type: string) => {
    const [id = ''] = await enqueued(ledger, { type, wiki: 'enwiki' });
    const door = gate();
    const contexts: JobContext[] = [];
    const { done, stop } = working(ledger, [
      {
        type,
        run: async (_, context) => {
          contexts.push(context);
          await door.opened;
        },
      },
    ]);
    const context = await until('it runs', () => contexts[0]);
    const end = async () => {
      door.open();
      stop();
      return done;
    };
    ends.push(end);
    return { id, context, end };
  };

  it('shows what a handler has told, in job and in top, with runner and age', async () => {
    const { id, context, end } = await running('exporting');
    context.progress({ done: 3, total: 9 });
    await until('it is told', async () => (await told()).length === 1);
    const shown = JSON.parse((await jobledger('job', id, '--json')).stdout) as Record<string, unknown>;
    expect(shown['progress']).to.deep.equal({ done: 3, total: 9 });
    expect(shown['progressAt']).to.match(/^\d{4}-/);
    const seen = JSON.parse((await jobledger('top', '--json')).stdout) as {
      running: Record<string, unknown>[];
      runners: unknown[];
      queues: unknown[];
    };
    expect(seen.running).to.have.lengthOf(1);
    expect(seen.running[0]).to.deep.include({
      jobId: id,
      type: 'exporting',
      wiki: 'enwiki',
      attempt: 1,
      progress: { done: 3, total: 9 },
    });
    expect(seen.runners).to.have.lengthOf(1);
    expect(seen.queues).to.have.lengthOf(1);
    const { stdout } = await jobledger('top');
    expect(stdout).to.match(/exporting +enwiki .* 3 of 9$/m);
    await end();
  });

  it('keeps the last that was told, and forgets it when the attempt is over', async () => {
    const { id, context, end } = await running('counting');
    for (let n = 0; n <= 1_000; n += 1) context.progress(n / 1_000);
    await until('the last is told', async () => (await told())[0] === 1);
    await end();
    context.progress('too late');
    expect(await told()).to.deep.equal([]);
    expect(JSON.parse((await jobledger('job', id, '--json')).stdout)).to.not.have.property('progress');
    expect((await right(topSnapshot(ledger, 10))).running).to.deep.equal([]);
  });

  it('replaces what cannot be kept by a mark, and the handler goes on', async () => {
    const { context, end } = await running('odd');
    context.progress('x'.repeat(100_000));
    await until('it is told', async () => (await told()).length === 1);
    expect(await told()).to.deep.equal([{ unstorable: 'progress too long to keep' }]);
    context.progress('NUL \u0000');
    await until('it is told', async () => (await told())[0] === 'NUL \ufffd');
    expect(await end()).to.include({ succeeded: 1 });
  });

  it('is a live screen on a terminal, until it is stopped', async () => {
    await enqueued(ledger, { type: 'waiting' });
    const stop = new AbortController();
    const frames: string[] = [];
    const stdout = Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, written) => {
          frames.push(chunk.toString());
          if (frames.length === 4) stop.abort();
          written();
        },
      }),
      { isTTY: true, columns: 60, rows: 20 },
    );
    const status = await runCli(['top', '--every', '0.1'], {
      stdout,
      stderr: new Writable({ write: (_chunk, _encoding, written) => written() }),
      now: Date.now,
      env: { JOBLEDGER_DATABASE_URL: ledger.url },
      cwd: tmpdir(),
      columns: 60,
      stopSignal: () => stop.signal,
      onStray: () => undefined,
    });
    expect(status).to.equal(0);
    expect(frames[0]).to.equal('\u001b[?1049h\u001b[?25l');
    expect(frames[1])
      .to.include('\u001b[H')
      .and.include('1 ready')
      .and.include('waiting')
      .and.include('Ctrl-C quits');
    expect(frames.filter((frame) => frame !== '').at(-1)).to.equal('\u001b[?25h\u001b[?1049l');
  });
});
