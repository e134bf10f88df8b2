/** `export`: the whole history of the ledger in a file. */
import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { whileNobodyPrunes } from '../../adapters/postgres/pruning/turn.js';
import { exportLedger } from '../transfer/export-ledger.js';
import { exists, unwritableFolder } from '../cli/file-faults.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, storeFailed, wrongUsage, type Outcome } from './outcome.js';

const exportTo = async (context: CommandContext, file: string): Promise<Outcome> => {
  const { out, json, cwd } = context;
  const path = resolve(cwd, file);
  if (await exists(path)) return wrongUsage(`${file} is there already: name a file that is not`);
  const flaw = await unwritableFolder(path);
  if (flaw !== undefined) return wrongUsage(`${file} cannot be written: ${flaw}`);
  return context.withLedger('operator', async ({ store, pool, schema }) => {
    const onProgress = (events: number): void => out.progress(`${events} events written …`);
    const exporting = whileNobodyPrunes(pool, schema, () => exportLedger(store, { path, onProgress }));
    const exported = E.flatten(await exporting());
    if (E.isLeft(exported)) return storeFailed(exported.left);
    await (json
      ? out.json({ file, events: exported.right })
      : out.line(`${file}: the whole history, ${exported.right} events`));
    return done;
  });
};

export const exportCommand: CliCommand = {
  name: 'export',
  summary: 'write the whole history to a file, for a ledger elsewhere',
  examples: ['jobledger export ledger.ndjson.gz'],
  register: (command, run) =>
    command
      .argument('<file>', 'a new file: NDJSON, compressed where its name ends in .gz')
      .action((file: string) => run((context) => exportTo(context, file))),
};
