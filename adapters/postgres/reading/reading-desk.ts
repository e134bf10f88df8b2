/** The reading desk on PostgreSQL. */
import type pg from 'pg';
import type { ReadingDesk } from '../../../projections/reading-desk.js';
import type { SchemaName } from '../schema-name.js';
import { streamExecutions } from './executions.js';
import { readingOfJobs } from './jobs.js';
import { readingOfPruned } from './pruned.js';
import { queueSizes } from './queue-sizes.js';
import { queueViews } from './queue-views.js';
import { traceOf } from './trace.js';

export const postgresReadingDesk = (pool: pg.Pool, schema: SchemaName): ReadingDesk => ({
  ...readingOfJobs(pool, schema),
  ...readingOfPruned(pool, schema),
  queueViews: () => queueViews(pool, schema),
  queueSizes: (filter) => queueSizes(pool, schema, filter),
  executions: (filter, onPage) => streamExecutions(pool, schema, filter, onPage),
  trace: (task) => traceOf(pool, schema, task),
});
