// What the tables show of a job is what its state says: the fold of the same events, come by in another way.
import { expect } from 'chai';
import fc from 'fast-check';
import { isDeduplicated } from '../../domain/job/event-parts.js';
import type { JobEvent } from '../../domain/job/events.js';
import { ownRank } from '../../domain/job/facts.js';
import type { ExistingJob } from '../../domain/job/state.js';
import { claimedJob } from '../../projections/claimed-job.js';
import { duplicate } from '../../projections/duplicate.js';
import { executionLog } from '../../projections/execution-log.js';
import { jobProjection } from '../../projections/job-table.js';
import type { Projection } from '../../projections/projection.js';
import { queueSummary } from '../../projections/queue-summary.js';
import { readyJob } from '../../projections/ready-job.js';
import { rootJob } from '../../projections/root-job.js';
import type { Row } from '../../projections/row-change.js';
import { eventsOf, stories, story } from '../support/arbitraries.js';
import { jobUuid, rowsAfter, streamOf } from '../support/given-rows.js';
import { stateAfter } from '../support/job-specification.js';

const RUNS = { numRuns: 200 };
const JOB = jobUuid(1);

/** For every random life: the rows of the table are those that the state, with the events behind it, asks for. */
const compare = (
  projection: Projection,
  members: readonly string[],
  expected: (state: ExistingJob, events: readonly JobEvent[]) => Row | undefined,
): void => {
  fc.assert(
    fc.property(story(1).map(eventsOf), (events) => {
      const state = stateAfter(events);
      if (state._tag === 'None') return;
      const row = expected(state, events);
      const shown = rowsAfter(projection, streamOf(events)).map((there) =>
        Object.fromEntries(members.map((name) => [name, there[name]])),
      );
      expect(shown).to.deep.equal(row === undefined ? [] : [row]);
    }),
    RUNS,
  );
};

const lastIndex = (events: readonly JobEvent[], ...types: readonly JobEvent['type'][]): number =>
  events.findLastIndex(({ type }) => types.includes(type));

describe('the tables say what the states say', () => {
  it('ready_job: where a waiting job stands, at the revision of its stream', () => {
    compare(
      readyJob,
      ['job', 'class', 'priority', 'number', 'due', 'revision'],
      ({ job, revision, ...state }) =>
        state._tag === 'Waiting'
          ? {
              job: JOB,
              class: ownRank(job),
              priority: job.priority,
              number: job.enqueued.number.toString(),
              due: state.notBefore ?? null,
              revision,
            }
          : undefined,
    );
  });

  it('claimed_job: the claim that stands', () => {
    compare(claimedJob, ['job', 'token', 'runner', 'lease_expires', 'revision'], (state, events) =>
      state._tag === 'Claimed' || state._tag === 'Running'
        ? {
            job: JOB,
            token: state.claim.token,
            runner: state.claim.runner.id,
            lease_expires: state.claim.leaseExpiresAt,
            revision: BigInt(lastIndex(events, 'JobClaimed')),
          }
        : undefined,
    );
  });

  it('job: what has not come to a good end, with its claim', () => {
    const kept = ['Waiting', 'Claimed', 'Running', 'Abandoned'];
    compare(
      jobProjection,
      ['job_uuid', 'job_state', 'job_attempts', 'job_class', 'job_priority', 'job_revision', 'job_sha1'],
      ({ _tag, job, revision }) =>
        kept.includes(_tag)
          ? {
              job_uuid: JOB,
              job_state: _tag,
              job_attempts: job.claims,
              job_class: job.class,
              job_priority: job.priority,
              job_revision: revision,
              job_sha1: job.enqueued.dedup.sha1,
            }
          : undefined,
    );
  });

  it('root_job: a root until it ends badly, begun once it has begun', () => {
    compare(rootJob, ['job', 'signature', 'timestamp', 'state'], ({ _tag, job }, events) => {
      if (job.root?.isSelf !== true || ['Abandoned', 'Cancelled', 'Superseded'].includes(_tag))
        return undefined;
      const hasBegun = lastIndex(events, 'AttemptStarted') > lastIndex(events, 'JobRequeued');
      const state = _tag === 'Succeeded' ? 'succeeded' : hasBegun ? 'begun' : 'waiting';
      const { signature, timestamp } = job.root;
      return { job: JOB, signature, timestamp, state };
    });
  });

  it('duplicate: a waiting job that takes part, and one that has succeeded', () => {
    compare(
      duplicate,
      ['job', 'sha1', 'number', 'is_survivor', 'revision', 'enqueued_revision', 'begun_revision'],
      (state, events) => {
        const { job, revision } = state;
        const facts = { job: JOB, sha1: job.enqueued.dedup.sha1, number: job.enqueued.number.toString() };
        if (state._tag === 'Succeeded' && job.ignoreDuplicates) {
          const { begunRevision } = state;
          return {
            ...facts,
            is_survivor: false,
            revision: null,
            enqueued_revision: null,
            begun_revision: begunRevision,
          };
        }
        if (state._tag !== 'Waiting' || !isDeduplicated(job)) return undefined;
        const isFresh = lastIndex(events, 'JobClaimed', 'JobRequeued') === -1;
        return {
          ...facts,
          is_survivor: isFresh && job.enqueued.imported === undefined,
          revision,
          enqueued_revision: job.enqueuedRevision,
          begun_revision: null,
        };
      },
    );
  });

  it('job_execution_log: a row for every start, open only while the attempt runs', () => {
    fc.assert(
      fc.property(story(1).map(eventsOf), (events) => {
        const rows = rowsAfter(executionLog, streamOf(events));
        expect(rows).to.have.lengthOf(events.filter(({ type }) => type === 'AttemptStarted').length);
        const open = rows.filter(({ complete_time }) => complete_time === null);
        const state = stateAfter(events);
        expect(open.map(({ task_id }) => task_id)).to.deep.equal(
          state._tag === 'Running' ? [state.attempt.taskId] : [],
        );
        const succeeded = rows.filter(({ is_success }) => is_success === true);
        expect(succeeded).to.have.lengthOf(state._tag === 'Succeeded' ? 1 : 0);
      }),
      RUNS,
    );
  });

  const counted: Readonly<Record<ExistingJob['_tag'], string>> = {
    Waiting: 'waiting',
    Claimed: 'claimed',
    Running: 'claimed',
    Succeeded: 'succeeded',
    Abandoned: 'abandoned',
    Cancelled: 'cancelled',
    Superseded: 'superseded',
  };
  const places = Object.values(counted).filter((name, index, all) => all.indexOf(name) === index);
  const count = (row: Row | undefined, name: string): number => Number(row?.[name] ?? 0);

  it('queue_summary: each job is counted in one place, and all of them as enqueued', () => {
    fc.assert(
      fc.property(stories(4), (jobs) => {
        const rows = rowsAfter(queueSummary, jobs.flatMap(streamOf));
        const states = jobs.map(stateAfter);
        for (const row of rows) {
          const here = states.filter(
            (state) => state._tag !== 'None' && state.job.enqueued.type === row['type'],
          );
          expect(count(row, 'enqueued')).to.equal(here.length);
          for (const place of places) {
            const inPlace = here.filter(({ _tag }) => _tag !== 'None' && counted[_tag] === place);
            expect(count(row, place), place).to.equal(inPlace.length);
          }
          expect(places.reduce((sum, place) => sum + count(row, place), 0)).to.equal(count(row, 'enqueued'));
        }
      }),
      RUNS,
    );
  });

  it('queue_due: the waiting jobs that somebody gave a time, by their minute', () => {
    fc.assert(
      fc.property(stories(4), (jobs) => {
        const due = new Map<string, number>();
        for (const state of jobs.map(stateAfter)) {
          if (state._tag !== 'Waiting' || state.notBefore === undefined) continue;
          const minute = `${state.job.enqueued.type} ${state.notBefore.slice(0, 16)}:00.000Z`;
          due.set(minute, (due.get(minute) ?? 0) + 1);
        }
        const rows = rowsAfter(queueSummary, jobs.flatMap(streamOf), 'queue_due');
        const shown = rows.map(({ type, minute, jobs: number }) => [`${type} ${minute}`, number] as const);
        expect(new Map(shown)).to.deep.equal(due);
      }),
      RUNS,
    );
  });
});
