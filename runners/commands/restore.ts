/** `restore`: the events of an exported file in this ledger. */
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { raiseJobNumbers } from '../../adapters/postgres/raise-job-numbers.js';
import { restoreLedger } from '../transfer/restore-ledger.js';
import type { RestoreFailure, RestoreResult } from '../transfer/restore-writing.js';
import { missingFile } from '../cli/missing-file.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, negative, storeFailed, wrongUsage, type Outcome } from './outcome.js';

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

const outcomeOf = (file: string, { refused, isWhole }: RestoreResult): Outcome => {
  if (!isWhole) return wrongUsage(`${file} is not whole: it ends before its last line; ${AGAIN}`);
  if (refused === 0) return done;
  const events = refused === 1 ? '1 event' : `${refused} events`;
  return wrongUsage(`${events} of ${file} could not be taken, as told above; all others are there`);
};

const restoreFrom = async (context: CommandContext, file: string): Promise<Outcome> => {
  const { out, json, cwd } = context;
  const path = resolve(cwd, file);
  const missing = await missingFile(path);
  if (missing !== undefined) return wrongUsage(`${file}: ${missing}`);
  return context.withLedger('operator', async ({ store, pool, schema }) => {
    const result = await restoreLedger(
      { store, raiseNumbers: (least) => raiseJobNumbers(pool, schema, least) },
      {
        path,
        onBadLine: (line, why) => out.tell(`line ${line}: ${why}`),
        onProgress: ({ restored, alreadyThere }) =>
          out.progress(`${restored} events restored, ${alreadyThere} were there already …`),
      },
    );
    if (E.isLeft(result)) return failed(file, result.left);
    const { restored, alreadyThere } = result.right;
    await (json
      ? out.json({ file, ...result.right })
      : out.line(`${file}: ${restored} events restored; ${alreadyThere} were there already`));
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
