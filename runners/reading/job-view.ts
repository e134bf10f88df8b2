/** A job as it stands, for `job`: from its own stream, which is never behind. */
import { defined } from '../../domain/defined.js';
import type { ToldProgress } from '../../projections/progress.js';
import type { ExistingJob } from '../../domain/job/state.js';

const whatItNames = (state: ExistingJob) => {
  switch (state._tag) {
    case 'Waiting':
      return { notBefore: state.notBefore };
    case 'Claimed':
      return { claim: state.claim };
    case 'Running':
      return { claim: state.claim, taskId: state.attempt.taskId, startedAt: state.attempt.startedAt };
    case 'Abandoned':
    case 'Cancelled':
      return { reason: state.reason };
    case 'Superseded':
      return { supersededBy: state.by };
    case 'Succeeded':
      return {};
  }
};

export const jobView = (jobId: string, state: ExistingJob, told?: Pick<ToldProgress, 'value' | 'at'>) => {
  const { job } = state;
  const { enqueued } = job;
  return {
    jobId,
    job_id: enqueued.number,
    wiki: enqueued.wiki,
    type: enqueued.type,
    namespace: enqueued.namespace ?? null,
    title: enqueued.title ?? null,
    params: job.params,
    state: state._tag,
    attempts: job.attempts,
    revision: state.revision,
    ...defined({
      maxAttempts: job.retry.maxAttempts,
      claims: job.claims,
      class: job.class,
      priority: job.priority,
      enqueuedAt: enqueued.enqueuedAt,
      sha1: enqueued.dedup.sha1,
      ignoreDuplicates: job.ignoreDuplicates,
      suppressed: job.suppressed,
      root: job.root,
      requestId: enqueued.requestId,
      ...whatItNames(state),
      progress: told?.value,
      progressAt: told?.at,
      lastError: job.lastError,
      imported: enqueued.imported,
    }),
  };
};
