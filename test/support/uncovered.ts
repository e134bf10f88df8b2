// The property that matters, checked over a history alone: nothing that was asked for is dropped unless something does it later.
//
// Asked for is a job by its enqueue and by each requeue, and what was suppressed by its DuplicateSuppressed. Where a job is superseded, or
// answers for a suppressed one, the job that takes over has to be of the same key or family, and has to have begun behind what was
// asked for and succeeded, or to be still to run, or to have been stopped by a person or by its retry limit; or to be superseded
// by one of which the same is true. Everything goes by the order of events; no clock, no table and no rule of the domain is asked.
import * as E from 'fp-ts/lib/Either.js';
import { decodeEvent } from '../../domain/events.js';
import type { JobEvent } from '../../domain/job/events.js';
import { jobIdOf, type Position, type RecordedEvent } from '../../domain/ledger.js';

export interface Uncovered {
  readonly jobId: string;
  /** Where it was asked for. */
  readonly wanted: Position;
  readonly why: string;
}

type Standing = 'waiting' | 'held' | 'running' | 'succeeded' | 'stopped' | 'superseded';

interface Track {
  readonly jobId: string;
  readonly key: string;
  readonly family: string | undefined;
  readonly isTransactional: boolean;
  standing: Standing;
  /** Last time the job itself was asked for. */
  wanted: Position;
  /** Where the last attempt began. */
  begun: Position;
  /** Where equal enqueues were answered with it. */
  readonly suppressed: Position[];
  covered: { readonly by: string; readonly rule: 'executed-later' | 'newer-root' } | undefined;
}

const tracked = (
  jobId: string,
  { data }: Extract<JobEvent, { type: 'JobEnqueued' }>,
  wanted: Position,
): Track => ({
  jobId,
  key: JSON.stringify([data.wiki, data.type, data.dedup.sha1]),
  family: data.root === undefined ? undefined : JSON.stringify([data.wiki, data.type, data.root.signature]),
  isTransactional: data.inCallersTransaction,
  standing: 'waiting',
  wanted,
  begun: 0n,
  suppressed: [],
  covered: undefined,
});

const standings: Partial<Record<JobEvent['type'], Standing>> = {
  JobClaimed: 'held',
  AttemptStarted: 'running',
  AttemptSucceeded: 'succeeded',
  RetryScheduled: 'waiting',
  JobReleased: 'waiting',
  JobRequeued: 'waiting',
  JobAbandoned: 'stopped',
  JobCancelled: 'stopped',
  JobSuperseded: 'superseded',
};

const follow = (track: Track, event: JobEvent, position: Position): void => {
  track.standing = standings[event.type] ?? track.standing;
  switch (event.type) {
    case 'JobRequeued':
      track.wanted = position;
      break;
    case 'AttemptStarted':
      track.begun = position;
      break;
    case 'DuplicateSuppressed':
      track.suppressed.push(position);
      break;
    case 'JobSuperseded':
      track.covered = { by: event.data.by, rule: event.data.rule };
      break;
    case 'JobErased':
      if (!event.data.ended) track.standing = 'stopped';
      break;
    default:
  }
};

const tracksOf = (history: readonly RecordedEvent[]): ReadonlyMap<string, Track> => {
  const tracks = new Map<string, Track>();
  for (const recorded of history) {
    const jobId = jobIdOf(recorded.stream);
    if (jobId === undefined) continue;
    const decoded = decodeEvent(recorded);
    if (E.isLeft(decoded)) throw new Error(decoded.left);
    const event = decoded.right as JobEvent;
    const track = tracks.get(jobId);
    if (track !== undefined) follow(track, event, recorded.position);
    else if (event.type === 'JobEnqueued') tracks.set(jobId, tracked(jobId, event, recorded.position));
  }
  return tracks;
};

/** Why what was asked for at this position is not done by the job, or undefined. */
const flawOf = (tracks: ReadonlyMap<string, Track>, jobId: string, wanted: Position): string | undefined => {
  const track = tracks.get(jobId);
  if (track === undefined) return `there is no job ${jobId}`;
  switch (track.standing) {
    case 'waiting':
    case 'held':
    case 'stopped':
      return undefined;
    case 'running':
    case 'succeeded':
      return track.begun > wanted ? undefined : `job ${jobId} began at ${track.begun}, before`;
    case 'superseded':
      return flawOfCover(tracks, track, wanted);
  }
};

const flawOfCover = (
  tracks: ReadonlyMap<string, Track>,
  track: Track,
  wanted: Position,
): string | undefined => {
  const { covered } = track;
  const by = tracks.get(covered?.by ?? '');
  if (covered === undefined || by === undefined) return `job ${track.jobId} names no job that covers it`;
  if (by === track) return `job ${track.jobId} covers itself`;
  if (track.isTransactional) return `job ${track.jobId} was enqueued in its caller's transaction`;
  const isRelated =
    covered.rule === 'executed-later'
      ? by.key === track.key
      : by.family !== undefined && by.family === track.family;
  return isRelated
    ? flawOf(tracks, by.jobId, wanted)
    : `job ${track.jobId} is neither of the key nor of the family of ${by.jobId}`;
};

/**
 * What was dropped though nothing covers it; empty where the history keeps its promise.
 * @param history every event, in order
 */
export const uncovered = (history: readonly RecordedEvent[]): readonly Uncovered[] => {
  const tracks = tracksOf(history);
  const flaws: Uncovered[] = [];
  const check = (jobId: string, wanted: Position): void => {
    const why = flawOf(tracks, jobId, wanted);
    if (why !== undefined) flaws.push({ jobId, wanted, why });
  };
  for (const track of tracks.values()) {
    if (track.standing === 'superseded') check(track.jobId, track.wanted);
    for (const wanted of track.suppressed) check(track.jobId, wanted);
  }
  return flaws;
};
