/** `executions`: one line per attempt, from the execution log. */
import * as E from 'fp-ts/lib/Either.js';
import { millisecondsBetween } from '../../domain/instant.js';
import { executionLog } from '../../projections/execution-log.js';
import { toJson } from '../cli/output.js';
import { inWords } from '../reading/duration.js';
import type { Execution, ExecutionFilter } from '../../projections/reading-desk.js';
import { timeInWords } from '../reading/sentence.js';
import { table, type Column } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { instant } from './instant-option.js';
import { done, storeFailed, type Outcome } from './outcome.js';
import { withTables } from './with-tables.js';

const resultOf = ({ is_success: isSuccess, complete_time: completed, ...row }: Execution): string => {
  if (completed === null) return 'running';
  if (!isSuccess) return 'failed';
  // What succeeded has no cause.
  return row.failure_cause === null ? 'succeeded' : 'put off';
};

const columns: readonly Column<Execution>[] = [
  { title: 'started', cell: ({ start_time: start }) => timeInWords(start) },
  {
    title: 'took',
    cell: ({ start_time: start, complete_time: end }) =>
      end === null ? null : inWords(millisecondsBetween(start, end)),
    align: 'right',
  },
  { title: 'job name', cell: (row) => row.job_name },
  { title: 'source', cell: (row) => row.execution_source },
  { title: 'host', cell: (row) => row.hostname },
  { title: 'result', cell: resultOf },
  { title: 'attempt id (for trace)', cell: ({ id }) => id },
  { title: 'cause', cell: (row) => row.failure_cause ?? '' },
];

const showExecutions = (context: CommandContext, filter: ExecutionFilter): Promise<Outcome> =>
  withTables(context, [executionLog], async (ledger) => {
    const { out, json } = context;
    const shown = await ledger.reading.executions(filter, (page) =>
      out.write(json ? page.map((row) => `${toJson(row)}\n`).join('') : table(columns, page)),
    )();
    if (E.isLeft(shown)) return storeFailed(shown.left);
    const isAll = Object.values(filter).every((value) => value === undefined);
    if (shown.right === 0)
      out.tell(isAll ? 'there is no attempt in the tables' : 'there is no such execution');
    return done;
  });

export const executions: CliCommand = {
  name: 'executions',
  summary: 'list attempts, oldest first, with the ids that "trace" takes; --json has whole task ids too',
  examples: [
    'jobledger executions --failed --since 2026-11-01T00:00:00Z',
    'jobledger executions --job-name refreshLinks --json',
  ],
  register: (command, run) =>
    command
      .option('--job-name <name>', 'only of this job type')
      .option('--failed', 'only those that failed')
      .option('--since <instant>', 'only those begun then or later: ISO 8601 with an offset', instant)
      .action((filter: ExecutionFilter) => run((context) => showExecutions(context, filter))),
};
