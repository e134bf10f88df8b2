/** `demo`: the main job. A real MediaWiki's job table is imported, worked off, projected and audited, in a schema of the demo's own. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { schemaName } from '../../adapters/postgres/schema-name.js';
import { claimsLost } from '../claims-lost.js';
import { beginAfresh } from '../../adapters/postgres/afresh.js';
import { openDesk, type Desk } from '../demo/desk.js';
import { equation, figuresTable } from '../demo/figures.js';
import { findingFlags, pointers, type Pointer } from '../demo/pointers.js';
import { runDemo, type DemoReport } from '../demo/run-demo.js';
import { openLedger, type Ledger } from '../ledger.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, failedOutside, negative, storeFailed, wrongUsage, type Outcome } from './outcome.js';

const summary = (report: DemoReport, folder: string, files: readonly string[], tryNext: readonly Pointer[]) =>
  [
    '',
    figuresTable(report.queues),
    `${equation(report.total)}: ${report.addsUp ? 'it adds up' : 'IT DOES NOT ADD UP'}`,
    ...[claimsLost(report.claims)].filter((line) => line !== undefined),
    '',
    `what the handlers did: ${files.length} files in ${folder}`,
    'try next:',
    ...tryNext.map(({ command, why }) => `  ${command}\n      ${why}`),
    '',
  ].join('\n');

const verdictOn = ({ addsUp, audited }: DemoReport): Outcome => {
  if (audited.unequal.length > 0) {
    return negative(`the tables do not equal the history: ${audited.unequal.join(', ')}`);
  }
  return addsUp ? done : negative('the numbers of a queue do not add up: see above');
};

const show = async (
  context: CommandContext,
  ledger: Ledger,
  desk: Desk,
  folder: string,
): Promise<Outcome> => {
  const { out, json, config, env, cwd } = context;
  const tell = async (line: string): Promise<unknown> => (json ? undefined : out.line(line));
  const report = await runDemo({ ledger, desk, out, tell });
  if (E.isLeft(report)) return storeFailed(report.left);
  const found = await pointers(ledger, findingFlags(config, ledger, env, cwd))();
  if (E.isLeft(found)) return storeFailed(found.left);
  const files = readdirSync(desk.folder);
  if (json) await out.json({ ...report.right, schema: ledger.schema, folder, files, tryNext: found.right });
  else await out.write(summary(report.right, folder, files, found.right));
  return verdictOn(report.right);
};

const demonstrate = async (context: CommandContext): Promise<Outcome> => {
  const { config, cwd, out } = context;
  const schema = schemaName(`${config.schema}_demo`);
  if (E.isLeft(schema)) return wrongUsage(schema.left.message);
  const opened = await openLedger({
    ...config,
    schema: schema.right,
    // What an earlier demo has appended to an EventStoreDB stays there, under another name.
    ledger: `${config.ledger ?? 'jobledger'}demo${Date.now().toString(36)}`,
    by: 'demo',
    report: out.tell,
    isAfresh: true,
  })();
  if (E.isLeft(opened)) return failedOutside(opened.left.message);
  const ledger = opened.right;
  try {
    const afresh = await beginAfresh(ledger);
    if (E.isLeft(afresh)) return storeFailed(afresh.left);
    try {
      const folder = join(config.home, 'demo');
      return await show(context, ledger, openDesk(resolve(cwd, folder)), folder);
    } finally {
      afresh.right.release();
    }
  } finally {
    await ledger.close();
  }
};

export const demo: CliCommand = {
  name: 'demo',
  summary: 'import, work off and audit the job table of a real MediaWiki, in a schema of its own',
  examples: ['jobledger demo'],
  register: (command, perform) => command.action(() => perform(demonstrate)),
};
