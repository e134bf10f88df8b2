/** Why a job is where it is: what it is, all that happened to it, how it stands, and what comes next. Pure. */
import * as E from 'fp-ts/lib/Either.js';
import type { Corrupt } from '../../domain/errors.js';
import type { ExistingJob } from '../../domain/job/state.js';
import { jobIdOf, type RecordedEvent } from '../../domain/ledger.js';
import { momentsOf, type Moment } from './moments.js';
import { sentenceOf } from './sentence.js';
import { standingOf } from './standing.js';
import { surroundingsOf, type Surroundings } from './surroundings.js';

export interface Explanation {
  readonly jobId: string;
  readonly job_id: bigint;
  readonly wiki: string;
  readonly type: string;
  readonly state: ExistingJob['_tag'];
  /** What the job is. */
  readonly what: string;
  readonly story: readonly {
    readonly at: string;
    readonly event: string;
    readonly by: string;
    readonly sentence: string;
  }[];
  readonly now: string;
  readonly next: string;
}

const whatItIs = (jobId: string, { job }: ExistingJob): string => {
  const { number, type, wiki, title = '', namespace } = job.enqueued;
  const space = namespace === undefined ? '' : ` of namespace ${namespace}`;
  const page = title === '' ? '' : `, about the page "${title}"${space}`;
  return `Job ${number} (${jobId}) is a "${type}" job of the wiki "${wiki}"${page}.`;
};

/** Undefined where there is nothing to explain: no events. */
export const explainJob = (
  events: readonly RecordedEvent[],
  now: string,
  around: Surroundings,
): E.Either<Corrupt, Explanation | undefined> =>
  E.map((moments: readonly Moment[]): Explanation | undefined => {
    const last = moments.at(-1);
    if (last === undefined) return undefined;
    const jobId = jobIdOf(last.recorded.stream) ?? last.recorded.stream;
    const { enqueued } = last.after.job;
    return {
      jobId,
      job_id: BigInt(enqueued.number),
      wiki: enqueued.wiki,
      type: enqueued.type,
      state: last.after._tag,
      what: whatItIs(jobId, last.after),
      story: moments.map((moment) => ({
        at: moment.at,
        event: moment.event.type,
        by: moment.by,
        sentence: sentenceOf(moment),
      })),
      ...standingOf(last.after, now, surroundingsOf(around, enqueued)),
    };
  })(momentsOf(events));
