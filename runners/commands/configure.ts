/** `configure`: how queues are worked, changed while runners run; without a setting, what is set and paused. */
import { InvalidArgumentError, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { defined } from '../../domain/defined.js';
import { JobClass } from '../../domain/job/facts.js';
import { scopeInWords, type Scope } from '../../domain/queue/scope.js';
import { QueueOrder, type QueueSettings, type SettingChanges } from '../../domain/queue/settings.js';
import type { QueueDecisions } from '../../projections/ports.js';
import { table, type Column } from '../cli/text-table.js';
import { timeInWords } from '../reading/sentence.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, storeFailed, wrongUsage, type Outcome } from './outcome.js';
import { control, scopeFlaw, scopeOf, withScope, type ScopeFlags } from './queue-scope.js';

/** Takes a setting back. */
const NONE = 'none';
type OrNone<A> = A | typeof NONE;

interface SettingFlags {
  readonly class?: OrNone<JobClass>;
  readonly weight?: OrNone<number>;
  readonly order?: OrNone<QueueOrder>;
  readonly running?: OrNone<number>;
  readonly jobsPerSecond?: OrNone<number>;
  readonly itemsPerSecond?: OrNone<number>;
}

type ConfigureFlags = ScopeFlags & SettingFlags;

const word =
  <A extends string>(isOne: (value: unknown) => value is A, words: string) =>
  (value: string): OrNone<A> => {
    if (value === NONE) return NONE;
    if (isOne(value)) return value;
    throw new InvalidArgumentError(`It is ${words} or none.`);
  };

const amount = (value: string): OrNone<number> => {
  if (value === NONE) return NONE;
  if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(value)) throw new InvalidArgumentError('It is a number, or none.');
  return Number(value);
};

const change = <A>(flag: OrNone<A> | undefined): A | null | undefined => (flag === NONE ? null : flag);

const changesIn = (flags: SettingFlags): SettingChanges =>
  defined({
    class: change(flags.class),
    weight: change(flags.weight),
    order: change(flags.order),
    running: change(flags.running),
    perSecond: change(flags.jobsPerSecond),
    itemsPerSecond: change(flags.itemsPerSecond),
  });

interface Line {
  readonly scope: Scope;
  readonly settings: QueueSettings;
  readonly paused: string | undefined;
}

const linesOf = ({ settings, pauses }: QueueDecisions): readonly Line[] => [
  ...settings.map((each) => ({ ...each, paused: undefined })),
  ...pauses.map(({ scope, since, by, why }) => ({
    scope,
    settings: {},
    paused: `since ${timeInWords(since)} by ${by}: ${why}`,
  })),
];

const columns: readonly Column<Line>[] = [
  { title: 'queues', cell: ({ scope }) => scopeInWords(scope) },
  { title: 'class', cell: ({ settings }) => settings.class },
  { title: 'weight', cell: ({ settings }) => settings.weight, align: 'right' },
  { title: 'order', cell: ({ settings }) => settings.order },
  { title: 'running', cell: ({ settings }) => settings.limits?.running, align: 'right' },
  { title: 'jobs/s', cell: ({ settings }) => settings.limits?.perSecond, align: 'right' },
  { title: 'items/s', cell: ({ settings }) => settings.limits?.itemsPerSecond, align: 'right' },
  { title: 'paused', cell: ({ paused }) => paused },
];

const show = ({ out, json, withLedger }: CommandContext): Promise<Outcome> =>
  withLedger('operator', async (ledger) => {
    const decisions = await ledger.queueBook.decisions()();
    if (E.isLeft(decisions)) return storeFailed(decisions.left);
    const lines = linesOf(decisions.right);
    if (json) await out.json(decisions.right);
    else if (lines.length === 0) await out.line('no queue is configured or paused');
    else await out.write(table(columns, lines));
    return done;
  });

const configureQueues = async (context: CommandContext, flags: ConfigureFlags): Promise<Outcome> => {
  const changes = changesIn(flags);
  const isNamed = flags.wiki !== undefined || flags.type !== undefined || flags.all === true;
  if (Object.keys(changes).length === 0) {
    return isNamed ? wrongUsage('say what to set, such as --class low') : show(context);
  }
  const flaw = scopeFlaw(flags);
  if (flaw !== undefined) return wrongUsage(flaw);
  const scope = scopeOf(flags);
  return context.withLedger('operator', async (ledger) => {
    const refused = await control(ledger, { _tag: 'ConfigureQueue', scope, changes }, flags);
    if (refused !== undefined) return refused;
    await (context.json
      ? context.out.json({ ...scope, configured: true })
      : context.out.line(`${scopeInWords(scope)}: configured; runners follow within a second`));
    return done;
  });
};

const withSettings = (command: Command): Command =>
  command
    .option(
      '--class <class>',
      'high, normal or low; a class given with a job goes before it',
      word(JobClass.is, 'high, normal, low'),
    )
    .option('--weight <number>', 'share among the queues of its class (default: 1)', amount)
    .option(
      '--order <order>',
      'fifo, timestamp or random (default: fifo)',
      word(QueueOrder.is, 'fifo, timestamp, random'),
    )
    .option('--running <number>', 'jobs that may run at once, over all runners', amount)
    .option('--jobs-per-second <number>', 'jobs begun in any second, over all runners', amount)
    .option('--items-per-second <number>', 'work items a second, as MediaWiki counts them', amount);

export const configure: CliCommand = {
  name: 'configure',
  summary: 'set class, weight, order and limits of queues; without settings, show them',
  examples: [
    'jobledger configure --type refreshLinks --class low --running 4',
    'jobledger configure --wiki enwiki --jobs-per-second 50',
    'jobledger configure --type sendMail --class none',
    'jobledger configure',
  ],
  register: (command, run) =>
    withSettings(withScope(command)).action((flags: ConfigureFlags) =>
      run((context) => configureQueues(context, flags)),
    ),
};
