/** `rebuild`: makes tables anew from the history. */
import * as E from 'fp-ts/lib/Either.js';
import { readCheckpoint } from '../../adapters/postgres/checkpoint.js';
import { rebuild as rebuildProjection, type RebuildReport } from '../../adapters/postgres/rebuild.js';
import { shadowPlace } from '../../adapters/postgres/shadow.js';
import type { Projection } from '../../projections/projection.js';
import type { Ledger } from '../ledger.js';
import type { Output } from '../cli/output.js';
import { differenceLines } from '../reading/differences.js';
import { bringUpToDate } from '../reading/up-to-date.js';
import { printable } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, failedOutside, storeFailed, wrongUsage, type Outcome } from './outcome.js';
import { NAMES, NAMES_WORDS, projectionsNamed } from './projection-names.js';

const LOOK_EVERY_MS = 1_000;

/** Tells how far the copy has come, once a second, until it is stopped. */
const watch = ({ pool, schema, store }: Ledger, projection: Projection, out: Output) => {
  const { name } = projection;
  const look = async (): Promise<void> => {
    const end = await store.end()();
    if (E.isLeft(end)) return;
    const standing = await readCheckpoint(pool, shadowPlace(schema), projection);
    out.progress(`rebuilding ${name}: position ${standing?.position ?? 0n} of ${end.right} …`);
  };
  // Before the copy's first page there is nothing to look at, and behind its last one nothing any more.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_EVERY_MS);
  return () => clearInterval(timer);
};

const rebuildOne = async (ledger: Ledger, projection: Projection, out: Output) => {
  const { pool, schema, store, historyOn, parks } = ledger;
  const stop = watch(ledger, projection, out);
  try {
    return await rebuildProjection(pool, schema, projection, {
      store,
      parks,
      historyOn,
    })();
  } finally {
    stop();
  }
};

const inLines = (report: RebuildReport & { readonly halt: undefined }): string => {
  const { name, position, missing, extra, different } = report;
  const mended = missing + extra + different;
  const rows = mended === 1 ? '1 row was' : `${mended} rows were`;
  const verdict = mended === 0 ? 'it was right already' : `${rows} put right:`;
  const lines = differenceLines(report).map((line) => `  ${printable(line)}`);
  return [`${name}: rebuilt to position ${position}; ${verdict}`, ...lines, ''].join('\n');
};

const rebuildThem = async (context: CommandContext, names: readonly string[]): Promise<Outcome> => {
  const wanted = projectionsNamed(names);
  if (E.isLeft(wanted)) return wrongUsage(wanted.left);
  const { out, json, withLedger } = context;
  return withLedger('operator', async (ledger) => {
    // What a table was merely behind with is no fault of its rows, and is not told as one.
    const driven = wanted.right.map(ledger.driven);
    const kept = driven.filter(({ drive }) => drive === 'catch-up');
    const statuses = await bringUpToDate(ledger, kept, out);
    if (E.isLeft(statuses)) return storeFailed(statuses.left);
    const reports: RebuildReport[] = [];
    for (const projection of driven) {
      const rebuilt = await rebuildOne(ledger, projection, out);
      if (E.isLeft(rebuilt)) return storeFailed(rebuilt.left);
      reports.push(rebuilt.right);
      if (rebuilt.right.halt === undefined && !json) await out.write(inLines(rebuilt.right));
    }
    if (json) await out.json({ projections: reports });
    const halts = reports.flatMap(({ halt }) => (halt === undefined ? [] : [halt]));
    return halts.length === 0 ? done : failedOutside(`not rebuilt, and left as it was: ${halts.join('; ')}`);
  });
};

export const rebuild: CliCommand = {
  name: 'rebuild',
  summary: 'make tables anew from the history',
  examples: ['jobledger rebuild', 'jobledger rebuild job'],
  register: (command, run) =>
    command
      .argument(NAMES, NAMES_WORDS)
      .action((names: readonly string[]) => run((context) => rebuildThem(context, names))),
};
