/** `top`: a live screen on a terminal, one snapshot otherwise. */
import * as E from 'fp-ts/lib/Either.js';
import { explainStoreError } from '../../domain/errors.js';
import { pause } from '../../adapters/pause.js';
import type { Ledger } from '../ledger.js';
import { bringUpToDate } from '../reading/up-to-date.js';
import { screenOf, type ScreenSize } from '../top/screen.js';
import { topSnapshot, topTables, type TopSnapshot } from '../top/snapshot.js';
import type { CliCommand, CommandContext } from './command.js';
import { seconds } from './option-values.js';
import { done, storeFailed, type Outcome } from './outcome.js';

const MOST_RUNNING = 200;
const WIDE: ScreenSize = { columns: 10_000, rows: 10_000 };

const OWN_SCREEN = '\u001B[?1049h\u001B[?25l';
const FORMER_SCREEN = '\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const REST_OF_LINE = '\u001B[K';
const REST_OF_SCREEN = '\u001B[J';

const frame = (lines: readonly string[]): string =>
  `${HOME}${lines.map((line) => `${line}${REST_OF_LINE}`).join('\r\n')}${REST_OF_SCREEN}`;

const showOnce = async ({ out, json }: CommandContext, ledger: Ledger): Promise<Outcome> => {
  const snapshot = await topSnapshot(ledger, MOST_RUNNING)();
  if (E.isLeft(snapshot)) return storeFailed(snapshot.left);
  await (json
    ? out.json(snapshot.right)
    : out.write(`${screenOf(undefined, snapshot.right, WIDE).join('\n')}\n`));
  return done;
};

/** Until it is stopped, or nobody looks any more. A database that does not answer is told in the last line, and asked again. */
const showLive = async (
  { out, stopSignal }: CommandContext,
  ledger: Ledger,
  sizeOf: () => ScreenSize,
  everyMs: number,
): Promise<Outcome> => {
  const stopping = stopSignal();
  let before: TopSnapshot | undefined;
  let last: TopSnapshot | undefined;
  let isSeen = await out.write(OWN_SCREEN);
  while (isSeen && !stopping.aborted) {
    const snapshot = await topSnapshot(ledger, MOST_RUNNING)();
    if (E.isRight(snapshot)) [before, last] = [last, snapshot.right];
    const size = sizeOf();
    const lines = last === undefined ? [] : screenOf(before, last, { ...size, rows: size.rows - 2 });
    const trouble = E.isLeft(snapshot) ? [explainStoreError(snapshot.left).slice(0, size.columns)] : [];
    const shown = [...lines, 'Ctrl-C quits'.slice(0, size.columns), ...trouble];
    isSeen = await out.write(frame(shown.slice(0, size.rows)));
    await pause(everyMs, stopping);
  }
  await out.write(FORMER_SCREEN);
  return done;
};

const show = (context: CommandContext, { every = 2_000, once }: TopFlags): Promise<Outcome> =>
  context.withLedger('operator', async (ledger) => {
    const caughtUp = await bringUpToDate(ledger, topTables, context.out);
    if (E.isLeft(caughtUp)) return storeFailed(caughtUp.left);
    const { terminal } = context.out;
    return terminal === undefined || context.json || once === true
      ? showOnce(context, ledger)
      : showLive(context, ledger, terminal, every);
  });

interface TopFlags {
  readonly every?: number;
  readonly once?: true;
}

export const top: CliCommand = {
  name: 'top',
  summary: 'watch queues, runners and what they run, with its progress; Ctrl-C ends it',
  examples: ['jobledger top', 'jobledger top --once', 'jobledger top --json'],
  register: (command, run) =>
    command
      .option('--every <seconds>', 'time between two looks (default: 2)', seconds(0.1))
      .option('--once', 'one snapshot, also on a terminal')
      .action((flags: TopFlags) => run((context) => show(context, flags))),
};
