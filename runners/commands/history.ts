/** `history ID`: every event of a job, in order. */
import * as E from 'fp-ts/lib/Either.js';
import { explainStoreError } from '../../domain/errors.js';
import type { RecordedEvent } from '../../domain/ledger.js';
import { toJson } from '../cli/output.js';
import { eventLine } from '../reading/event-line.js';
import { momentsOf } from '../reading/moments.js';
import { sentenceOf, timeInWords } from '../reading/sentence.js';
import { table, type Column } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, failedOutside, type Outcome } from './outcome.js';
import { ID, ID_WORDS, withJob } from './with-job.js';

interface Line {
  readonly recorded: RecordedEvent;
  readonly words: string;
}

const columns: readonly Column<Line>[] = [
  { title: 'revision', cell: ({ recorded }) => recorded.revision, align: 'right' },
  { title: 'time', cell: ({ recorded }) => timeInWords(recorded.metadata.occurredAt) },
  { title: 'event', cell: ({ recorded }) => recorded.type },
  { title: 'by', cell: ({ recorded }) => recorded.metadata.by },
  { title: 'what happened', cell: ({ words }) => words },
];

/** A history that cannot be understood is shown all the same, as it stands. */
const tellHistory = async ({ out }: CommandContext, events: readonly RecordedEvent[]): Promise<Outcome> => {
  const moments = momentsOf(events);
  const lines = E.isRight(moments)
    ? moments.right.map((moment) => ({ recorded: moment.recorded, words: sentenceOf(moment) }))
    : events.map((recorded) => ({ recorded, words: toJson(recorded.data) }));
  await out.write(table(columns, lines));
  return E.isRight(moments) ? done : failedOutside(explainStoreError(moments.left));
};

const showHistory = (context: CommandContext, id: string): Promise<Outcome> =>
  withJob(context, id, async (events) => {
    if (!context.json) return tellHistory(context, events);
    for (const recorded of events) if (!(await context.out.json(eventLine(recorded)))) break;
    return done;
  });

export const history: CliCommand = {
  name: 'history',
  summary: 'show every event of a job, in order',
  examples: ['jobledger history 4711', 'jobledger history 4711 --json | head -1'],
  register: (command, run) =>
    command.argument(ID, ID_WORDS).action((id: string) => run((context) => showHistory(context, id))),
};
