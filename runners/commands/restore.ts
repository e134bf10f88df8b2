/** `restore`: the events of an exported file in this ledger. */
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { raiseJobNumbers } from '../../adapters/postgres/raise-job-numbers.js';
import { jobProjection } from '../../projections/job-table.js';
import { prunedJob } from '../../projections/pruned-job.js';
import type { Ledger } from '../ledger.js';
import { bringUpToDate, haltsOf } from '../reading/up-to-date.js';
import { restoreLedger } from '../transfer/restore-ledger.js';
import type { RestoreFailure } from '../transfer/restore-failure.js';
import type { RestoreResult } from '../transfer/restore-writing.js';
import { missingFile } from '../cli/file-faults.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, failedOutside, negative, storeFailed, wrongUsage, type Outcome } from './outcome.js';

const failed = (file: string, failure: RestoreFailure): Outcome => {
  switch (failure._tag) {
    case 'OtherHistory':
      return negative(`${file} was not restored: ${failure.message}`);
    case 'NotALedger':
      return wrongUsage(`${file}: ${failure.message}`);
    default:
      return storeFailed(failure);
  }
};

const AGAIN = 'restoring the whole file adds only the rest';

const ELSEWHERE =
  'to read them, restore into an empty ledger (--schema X; with an EventStoreDB --ledger X as well)';

const inOneLine = (file: string, { restored, alreadyThere, pruned }: RestoreResult): string => {
  const left = pruned === 0 ? '' : `; ${pruned} are of jobs that this ledger has pruned, and are left out`;
  return `${file}: ${restored} events restored; ${alreadyThere} were there already${left}`;
};

const outcomeOf = (
  file: string,
  { restored, alreadyThere, pruned, refused, lines, end }: RestoreResult,
): Outcome => {
  if (pruned > 0 && restored + alreadyThere + refused === 0)
    return negative(`all jobs of ${file} were pruned from this ledger: ${ELSEWHERE}`);
  if (end === undefined) return wrongUsage(`${file} is not whole: it ends before its last line; ${AGAIN}`);
  if (end !== lines)
    return wrongUsage(
      `${file} is not as it was written: by its last line it has ${end} events, and there are ${lines}`,
    );
  if (refused === 0) return done;
  const events = refused === 1 ? '1 event' : `${refused} events`;
  return wrongUsage(`${events} of ${file} could not be taken, as told above; all others are there`);
};

/**
 * A history elsewhere has no index of numbers: those of its jobs that are not done are told by the `job` table. Nor do appends keep the
 * table of pruned jobs there.
 */
const tablesUnknown = async (ledger: Ledger, { out }: CommandContext): Promise<Outcome | undefined> => {
  if (ledger.elsewhere === undefined) return undefined;
  const statuses = await bringUpToDate(ledger, [jobProjection, ledger.driven(prunedJob)], out);
  if (E.isLeft(statuses)) return storeFailed(statuses.left);
  const halts = haltsOf(statuses.right);
  return halts === undefined
    ? undefined
    : failedOutside(`nothing was restored: what jobs this ledger has and has pruned is not known: ${halts}`);
};

const restoreFrom = async (context: CommandContext, file: string): Promise<Outcome> => {
  const { out, json, cwd } = context;
  const path = resolve(cwd, file);
  const missing = await missingFile(path);
  if (missing !== undefined) return wrongUsage(`${file}: ${missing}`);
  return context.withLedger('operator', async (ledger) => {
    const { store, pool, schema, reading } = ledger;
    const unknown = await tablesUnknown(ledger, context);
    if (unknown !== undefined) return unknown;
    const result = await restoreLedger(
      {
        store,
        raiseNumbers: (least) => raiseJobNumbers(pool, schema, least),
        namesakes: reading.namesakes,
        prunedAmong: reading.prunedAmong,
      },
      {
        path,
        onBadLine: (line, why) => out.tell(`line ${line}: ${why}`),
        onProgress: ({ restored, alreadyThere }) =>
          out.progress(`${restored} events restored, ${alreadyThere} were there already …`),
      },
    );
    if (E.isLeft(result)) return failed(file, result.left);
    const { lines, end, ...counts } = result.right;
    await (json
      ? out.json({ file, ...counts, isWhole: end === lines })
      : out.line(inOneLine(file, result.right)));
    return outcomeOf(file, result.right);
  });
};

export const restore: CliCommand = {
  name: 'restore',
  summary:
    'write the events of an exported file to this ledger, which is empty or was restored from it before',
  examples: [
    'jobledger restore ledger.ndjson.gz --schema moved',
    "jobledger restore ledger.ndjson.gz --eventstore-url 'esdb://127.0.0.1:2113?tls=false' --schema moved",
  ],
  register: (command, run) =>
    command
      .argument('<file>', 'what `export` has written')
      .action((file: string) => run((context) => restoreFrom(context, file))),
};
