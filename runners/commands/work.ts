/** `work`: a runner, until it is stopped or, with --drain, until nothing is left to do. */
import * as E from 'fp-ts/lib/Either.js';
import type { ClaimFigures } from '../../adapters/postgres/reserving-desk.js';
import { typeFlaw, wikiFlaw } from '../../domain/job/names.js';
import { ANY_TYPE, type Handler } from '../define-job.js';
import type { Ledger } from '../ledger.js';
import { loadHandlers } from '../load-handlers.js';
import { defaultWorkerOptions, startWork } from '../work.js';
import type { WorkSummary } from '../worker/worker-options.js';
import type { CliCommand, CommandContext } from './command.js';
import { collected, seconds, wholeNumber } from './option-values.js';
import { done, wrongUsage, type Outcome } from './outcome.js';

interface WorkFlags {
  readonly handlers: string;
  readonly type?: readonly string[];
  readonly wiki?: readonly string[];
  readonly concurrency?: number;
  readonly lease?: number;
  readonly heartbeat?: number;
  readonly grace?: number;
  readonly drain?: true;
}

const MOST_CONCURRENT = 10_000;
const LEAST_LEASE_SECONDS = 0.1;

const flawOf = (flags: WorkFlags, handlers: readonly Handler[]): string | undefined => {
  const { type: types = [], wiki: wikis = [], lease, heartbeat } = flags;
  if (handlers.length === 0) return `--handlers ${flags.handlers} has no handlers`;
  for (const type of types) {
    const flaw = typeFlaw(type);
    if (flaw !== undefined) return `--type ${flaw}`;
    if (!handlers.some((handler) => handler.type === type || handler.type === ANY_TYPE)) {
      return `--type ${type}: ${flags.handlers} has no handler for it`;
    }
  }
  for (const wiki of wikis) {
    const flaw = wikiFlaw(wiki);
    if (flaw !== undefined) return `--wiki ${flaw}`;
  }
  if (heartbeat !== undefined && heartbeat >= (lease ?? defaultWorkerOptions.leaseMs)) {
    return '--heartbeat has to be shorter than --lease, or the lease runs out before it is renewed';
  }
  return undefined;
};

interface WorkReport extends WorkSummary {
  readonly seconds: number;
  readonly jobsPerSecond: number;
  /** Claims that were tried, and of these lost to others; undefined where claims are held by locks. */
  readonly claims: ClaimFigures | undefined;
}

const reportOf = (summary: WorkSummary, milliseconds: number, claims: WorkReport['claims']): WorkReport => {
  const jobs = summary.succeeded + summary.failed + summary.refused;
  return {
    ...summary,
    claims,
    seconds: Math.round(milliseconds) / 1_000,
    jobsPerSecond: Math.round((jobs * 1_000) / Math.max(1, milliseconds)),
  };
};

const COUNTED: readonly (readonly [keyof WorkSummary, string])[] = [
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['refused', 'refused for their params'],
  ['superseded', 'superseded'],
  ['snoozed', 'put off'],
  ['released', 'given back'],
  ['cancelled', 'cancelled while they ran'],
  ['lost', 'lost'],
];

const explain = (report: WorkReport): string => {
  const counts = COUNTED.filter(([key]) => key === 'succeeded' || report[key] > 0);
  const told = counts.map(([key, words]) => `${report[key]} ${words}`).join(', ');
  return `${told}, in ${report.seconds.toFixed(1)} s: ${report.jobsPerSecond} jobs a second`;
};

const work = async (context: CommandContext, flags: WorkFlags): Promise<Outcome> => {
  const { out, json, cwd, withLedger, stopSignal, onStray } = context;
  const handlers = await loadHandlers(flags.handlers, cwd);
  if (E.isLeft(handlers)) return wrongUsage(handlers.left);
  const flaw = flawOf(flags, handlers.right);
  if (flaw !== undefined) return wrongUsage(flaw);
  return withLedger('work', async (ledger) => {
    const stopping = stopSignal();
    const begun = performance.now();
    const running = startWork(ledger, {
      handlers: handlers.right,
      types: flags.type,
      wikis: flags.wiki,
      concurrency: flags.concurrency,
      leaseMs: flags.lease,
      heartbeatMs: flags.heartbeat,
      graceMs: flags.grace,
      drain: flags.drain,
      log: out.tell,
    });
    onStray(running.stray);
    const stop = (): void => {
      out.tell('stopping: what runs may end; a second signal ends at once');
      running.stop();
    };
    stopping.addEventListener('abort', stop, { once: true });
    const summary = await running.done;
    stopping.removeEventListener('abort', stop);
    if (flags.drain === true) await tellUnhandled(ledger, handlers.right, out.tell);
    const report = reportOf(summary, performance.now() - begun, ledger.claimFigures());
    await (json ? out.json(report) : out.line(explain(report)));
    return done;
  });
};

/** What is ready and has no handler here would otherwise be left without a word. */
const tellUnhandled = async (
  ledger: Ledger,
  handlers: readonly Handler[],
  tell: (line: string) => void,
): Promise<void> => {
  const ready = await ledger.claimDesk.readyQueues({ types: undefined, wikis: undefined })();
  if (E.isLeft(ready)) return;
  const handled = new Set(handlers.map(({ type }) => type));
  const left = new Set(
    ready.right.map(({ type }) => type).filter((type) => !handled.has(type) && !handled.has(ANY_TYPE)),
  );
  if (left.size > 0) tell(`jobs are left that no handler here takes: ${[...left].sort().join(', ')}`);
};

export const workCommand: CliCommand = {
  name: 'work',
  summary: 'work on what is ready, with the handlers of a module',
  examples: [
    'jobledger work --handlers handlers.js',
    'jobledger work --handlers handlers.ts --type sendMail --concurrency 4 --drain',
  ],
  register: (command, perform) =>
    command
      .requiredOption(
        '--handlers <module>',
        'a .js, .mjs or .ts file whose default export is an array of handlers',
      )
      .option('--type <type>', 'only jobs of this type; may be given several times', collected)
      .option('--wiki <id>', 'only jobs of this wiki; may be given several times', collected)
      .option('--concurrency <number>', 'jobs run at a time (default: 10)', wholeNumber(1, MOST_CONCURRENT))
      .option(
        '--lease <seconds>',
        'how long a claim holds without renewal (default: 30)',
        seconds(LEAST_LEASE_SECONDS),
      )
      .option(
        '--heartbeat <seconds>',
        'time between renewals (default: a third of the lease)',
        seconds(0.001),
      )
      .option('--grace <seconds>', 'time that running jobs have when it is stopped (default: 25)', seconds(0))
      .option('--drain', 'end when nothing is ready, nothing runs, and no expired claim is left')
      .action((flags: WorkFlags) => perform((context) => work(context, flags))),
};
