/** `queues`: what each queue holds, and its lag. */
import * as E from 'fp-ts/lib/Either.js';
import { queueSummary } from '../../projections/queue-summary.js';
import { inWords } from '../reading/duration.js';
import type { QueueView } from '../../projections/reading-desk.js';
import { table, type Column } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, storeFailed, type Outcome } from './outcome.js';
import { withTables } from './with-tables.js';

type Count =
  'ready' | 'delayed' | 'claimed' | 'abandoned' | 'succeeded' | 'failed' | 'suppressed' | 'superseded';

const count = (name: Count): Column<QueueView> => ({
  title: name,
  cell: (queue) => queue[name],
  align: 'right',
});

const columns: readonly Column<QueueView>[] = [
  { title: 'wiki', cell: ({ wiki }) => wiki },
  { title: 'type', cell: ({ type }) => type },
  count('ready'),
  count('delayed'),
  count('claimed'),
  count('abandoned'),
  count('succeeded'),
  count('failed'),
  count('suppressed'),
  count('superseded'),
  {
    title: 'lag',
    cell: ({ oldestReadyAt, lagSeconds }) => (oldestReadyAt === null ? '-' : inWords(lagSeconds * 1_000)),
    align: 'right',
  },
];

const showQueues = (context: CommandContext): Promise<Outcome> =>
  withTables(context, [queueSummary], async (ledger) => {
    const queues = await ledger.reading.queueViews()();
    if (E.isLeft(queues)) return storeFailed(queues.left);
    const { out, json } = context;
    if (json) await out.json(queues.right);
    else if (queues.right.length === 0) await out.line('no job has been enqueued yet');
    else await out.write(table(columns, queues.right));
    return done;
  });

export const queues: CliCommand = {
  name: 'queues',
  summary: 'show what each queue holds, and how long its oldest ready job has waited',
  examples: ['jobledger queues', 'jobledger queues --json'],
  register: (command, run) => command.action(() => run(showQueues)),
};
