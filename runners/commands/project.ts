/** `project`: keeps the tables that people and other programs read, or tells how far they are. */
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { startProjector } from '../../adapters/postgres/live-projector.js';
import { projectionStatus, type ProjectionStatus } from '../../adapters/postgres/projector.js';
import { explainStoreError } from '../../domain/errors.js';
import { claimedJob } from '../../projections/claimed-job.js';
import { projections } from '../../projections/index.js';
import { bringUpToDate, haltsOf } from '../reading/up-to-date.js';
import { table, type Column } from '../cli/text-table.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, failedOutside, storeFailed, type Outcome } from './outcome.js';

/** Positions of a history elsewhere are bytes of its server's log. */
const stateOf = ({ name, halt, behind }: ProjectionStatus): string => {
  if (halt !== undefined) return halt;
  if (behind === 0n) return 'up to date';
  return name === claimedJob.name ? 'behind; runners keep it' : 'behind';
};

const columns: readonly Column<ProjectionStatus>[] = [
  { title: 'table', cell: ({ name }) => name },
  { title: 'position', cell: ({ position }) => position, align: 'right' },
  { title: 'behind', cell: ({ behind }) => behind, align: 'right' },
  { title: 'parked', cell: ({ parked }) => parked, align: 'right' },
  { title: 'state', cell: stateOf },
];

const show = async (
  { out, json }: CommandContext,
  statuses: readonly ProjectionStatus[],
): Promise<Outcome> => {
  await (json ? out.json(statuses) : out.write(table(columns, statuses)));
  const halts = haltsOf(statuses);
  return halts === undefined ? done : failedOutside(halts);
};

const catchUpOnce = (context: CommandContext): Promise<Outcome> =>
  context.withLedger('projector', async (ledger) => {
    const statuses = await bringUpToDate(ledger, ledger.projected, context.out);
    return E.isLeft(statuses) ? storeFailed(statuses.left) : show(context, statuses.right);
  });

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const keep = ({ withLedger, stopSignal, out }: CommandContext): Promise<Outcome> =>
  withLedger('projector', async ({ pool, schema, store, findServer, projected, parks, pageSize }) => {
    const signal = stopSignal();
    const projector = startProjector(pool, schema, projected, {
      store,
      parks,
      ...(pageSize === undefined ? {} : { pageSize }),
      wake: (onWake) => {
        const stop = store.onNews(onWake);
        return { stop: () => Promise.resolve(stop()) };
      },
      onError: (error) => {
        out.tell(`the projector goes on trying: ${explainStoreError(error)}`);
        void findServer();
      },
    });
    out.tell(`keeping ${projected.map(({ name }) => name).join(', ')}; Ctrl-C ends it`);
    await stopped(signal);
    await projector.stop();
    return done;
  });

const showStatus = (context: CommandContext): Promise<Outcome> =>
  context.withLedger('operator', async ({ pool, schema, store, driven }) => {
    const kept = projections.map(driven).filter(({ drive }) => drive === 'catch-up');
    const statuses = await projectionStatus(pool, schema, kept, store)();
    return E.isLeft(statuses) ? storeFailed(statuses.left) : show(context, statuses.right);
  });

export const project: CliCommand = {
  name: 'project',
  summary: 'keep the tables up to date with the history',
  examples: ['jobledger project', 'jobledger project --until-caught-up', 'jobledger project status --json'],
  register: (command: Command, run) => {
    command
      .option('--until-caught-up', 'end as soon as the tables show the history as it is now')
      .action(({ untilCaughtUp }: { readonly untilCaughtUp?: true }) =>
        run(untilCaughtUp === true ? catchUpOnce : keep),
      );
    command
      .command('status')
      .description('show how far each table is')
      .helpOption('--help', 'show this help')
      .action(() => run(showStatus));
  },
};
