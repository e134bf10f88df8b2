/** The registry: every projection there is. */
import { claimedJob } from './claimed-job.js';
import { duplicate } from './duplicate.js';
import { executionLog } from './execution-log.js';
import { jobProjection } from './job-table.js';
import type { Projection } from './projection.js';
import { prunedJob } from './pruned-job.js';
import { queueProjection } from './queue.js';
import { queueSummary } from './queue-summary.js';
import { readyJob } from './ready-job.js';
import { rootJob } from './root-job.js';
import { statusTraceLog } from './status-trace-log.js';
import { suppressedJob } from './suppressed-job.js';

export const projections: readonly Projection[] = [
  readyJob,
  duplicate,
  rootJob,
  suppressedJob,
  queueProjection,
  prunedJob,
  claimedJob,
  jobProjection,
  executionLog,
  statusTraceLog,
  queueSummary,
];

export const inlineProjections = projections.filter(({ drive }) => drive === 'inline');
/** Kept by `project` and `serve`. The reaper keeps `claimed_job` itself: no other projection's fault may stop recovery. */
export const catchUpProjections = projections.filter(
  ({ drive, name }) => drive === 'catch-up' && name !== claimedJob.name,
);

/** As it is driven where events and tables share no database: no append can carry its rows. */
export const asCatchUp = (projection: Projection): Projection => ({ ...projection, drive: 'catch-up' });

/** A projection by its name or by that of a table it keeps. `delayed_job` is the part of `ready_job` that is not due yet. */
export const projectionNamed = (name: string): Projection | undefined =>
  name === 'delayed_job'
    ? readyJob
    : projections.find((projection) => projection.tables.some((table) => table.name === name));
