/** `audit`: folds the history once more and compares it with the tables, row by row. */
import * as E from 'fp-ts/lib/Either.js';
import { auditAll, type AuditReport } from '../../adapters/postgres/audit.js';
import { explainStoreError } from '../../domain/errors.js';
import type { Projection } from '../../projections/projection.js';
import type { Ledger } from '../ledger.js';
import { differenceLines } from '../reading/differences.js';
import { bringUpToDate, haltsOf } from '../reading/up-to-date.js';
import { printable } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, failedOutside, negative, storeFailed, wrongUsage, type Outcome } from './outcome.js';
import { NAMES, NAMES_WORDS, projectionsNamed } from './projection-names.js';

const inLines = (report: AuditReport): string => {
  const { name, equal, rows, missing, extra, different } = report;
  const verdict = equal
    ? `equal (${rows} ${String(rows) === '1' ? 'row' : 'rows'})`
    : `NOT EQUAL: of ${rows} rows ${different} differ and ${extra} should not be there; ${missing} are missing`;
  return [`${name}: ${verdict}`, ...differenceLines(report).map((line) => `  ${printable(line)}`), ''].join(
    '\n',
  );
};

interface Findings {
  readonly reports: readonly AuditReport[];
  /** Projections that could not be compared, and why. */
  readonly failures: readonly string[];
}

const compareAll = async (
  { out, json }: CommandContext,
  { pool, schema, historyOn }: Ledger,
  projections: readonly Projection[],
): Promise<Findings> => {
  const reports: AuditReport[] = [];
  const failures: string[] = [];
  out.progress(`comparing ${projections.length} projections with the history …`);
  const audited = await auditAll(pool, schema, projections, historyOn)();
  if (E.isLeft(audited)) return { reports, failures: [explainStoreError(audited.left)] };
  for (const { name, report } of audited.right) {
    if (E.isLeft(report)) {
      failures.push(`${name} could not be compared: ${explainStoreError(report.left)}`);
      continue;
    }
    reports.push(report.right);
    for (const { position, reason } of report.right.unreadable)
      out.tell(`${name}: the event at position ${position} counts for neither side: ${reason}`);
    if (!json) await out.write(inLines(report.right));
  }
  return { reports, failures };
};

const verdictOn = ({ reports, failures }: Findings, halts: string | undefined): Outcome => {
  const unequal = reports.filter(({ equal }) => !equal).map(({ name }) => name);
  if (unequal.length > 0)
    return negative(
      `not equal to the history: ${unequal.join(', ')}; "jobledger rebuild ${unequal.join(' ')}" puts that right`,
    );
  if (failures.length > 0) return failedOutside(failures.join('; '));
  return halts === undefined ? done : failedOutside(`equal as far as they go, but ${halts}`);
};

const auditThem = async (context: CommandContext, names: readonly string[]): Promise<Outcome> => {
  const wanted = projectionsNamed(names);
  if (E.isLeft(wanted)) return wrongUsage(wanted.left);
  return context.withLedger('operator', async (ledger) => {
    const driven = wanted.right.map(ledger.driven);
    const kept = driven.filter(({ drive }) => drive === 'catch-up');
    const statuses = await bringUpToDate(ledger, kept, context.out);
    if (E.isLeft(statuses)) return storeFailed(statuses.left);
    const findings = await compareAll(context, ledger, driven);
    const outcome = verdictOn(findings, haltsOf(statuses.right));
    const equal = findings.failures.length === 0 && findings.reports.every((report) => report.equal);
    if (context.json) await context.out.json({ equal, projections: findings.reports });
    return outcome;
  });
};

export const audit: CliCommand = {
  name: 'audit',
  summary: 'compare the tables with the history, row by row',
  examples: ['jobledger audit', 'jobledger audit job queue_summary --json'],
  register: (command, run) =>
    command
      .argument(NAMES, NAMES_WORDS)
      .action((names: readonly string[]) => run((context) => auditThem(context, names))),
};
