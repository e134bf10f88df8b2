/** `trace TASK_ID`: the states of one attempt, as ElasticJob tells them. */
import * as E from 'fp-ts/lib/Either.js';
import { executionLog } from '../../projections/execution-log.js';
import { statusTraceLog } from '../../projections/status-trace-log.js';
import { timeInWords } from '../reading/sentence.js';
import type { TraceRow } from '../../projections/reading-desk.js';
import { table, type Column } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, negative, storeFailed, type Outcome } from './outcome.js';
import { withTables } from './with-tables.js';

const columns: readonly Column<TraceRow>[] = [
  { title: 'time', cell: (row) => timeInWords(row.creation_time) },
  { title: 'state', cell: ({ state }) => state },
  { title: 'job name', cell: (row) => row.job_name },
  { title: 'item', cell: (row) => row.sharding_item },
  { title: 'execution type', cell: (row) => row.execution_type },
  { title: 'where', cell: (row) => row.slave_id },
  { title: 'message', cell: ({ message }) => message },
];

const showTrace = (context: CommandContext, task: string): Promise<Outcome> =>
  withTables(context, [executionLog, statusTraceLog], async (ledger) => {
    const rows = await ledger.reading.trace(task)();
    if (E.isLeft(rows)) return storeFailed(rows.left);
    if (rows.right.length === 0)
      return negative(
        `there is no task or attempt "${task}"; "jobledger executions" lists attempts with their ids, but for those of pruned jobs`,
      );
    const { out, json } = context;
    if (!json) await out.write(table(columns, rows.right));
    else for (const row of rows.right) await out.json(row);
    return done;
  });

export const trace: CliCommand = {
  name: 'trace',
  summary: 'show the states that an attempt went through, as ElasticJob tells them',
  examples: [
    'jobledger trace 01890000-0000-7000-8000-000000000007',
    'jobledger trace "refreshLinks@-@0@-@NORMAL_TRIGGER@-@10.0.0.1@-@4711-01890000-0000-7000-8000-000000000007"',
  ],
  register: (command, run) =>
    command
      .argument(
        '<task-id>',
        "the attempt's UUID, as executions shows it, or a whole task id (executions --json)",
      )
      .action((task: string) => run((context) => showTrace(context, task))),
};
