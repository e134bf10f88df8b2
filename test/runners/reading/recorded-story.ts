// Commands to one job, as the events that a store gives back: positions, metadata and all.
import * as E from 'fp-ts/lib/Either.js';
import { derivedId } from '../../../adapters/system.js';
import type { JobCommand } from '../../../domain/job/commands.js';
import { decide } from '../../../domain/job/decide.js';
import type { JobEvent } from '../../../domain/job/events.js';
import { advanceJob } from '../../../domain/job/fold.js';
import { noJob, type JobState } from '../../../domain/job/state.js';
import type { NewEvent, RecordedEvent } from '../../../domain/ledger.js';
import { currentVersion } from '../../../domain/upcast.js';
import { at } from '../../support/given-commands.js';

/** As it comes from a store, and as it can be handed to one. */
type StoryEvent = RecordedEvent & NewEvent;

export const jobId = '01890000-0000-7000-8000-000000000007';

const timeOf = (command: JobCommand): string => {
  if ('now' in command) return command.now;
  return 'job' in command ? command.job.enqueuedAt : at(500);
};

const authorOf = (command: JobCommand): string => {
  switch (command._tag) {
    case 'EnqueueJob':
    case 'SuppressDuplicate':
      return 'shop';
    case 'ImportJob':
      return 'import';
    case 'ExpireLease':
      return 'reaper';
    case 'CancelJob':
    case 'RequeueJob':
    case 'EraseJob':
      return 'operator';
    default:
      return 'runner-1';
  }
};

const recordedEvent = (jobId: string, event: JobEvent, index: number, command: JobCommand): StoryEvent => ({
  position: BigInt(index + 1),
  stream: `job-${jobId}`,
  revision: BigInt(index),
  id: derivedId(jobId, index),
  type: event.type,
  data: JSON.parse(JSON.stringify(event.data)) as object,
  metadata: {
    schemaVersion: currentVersion(event.type),
    correlationId: 'c',
    causationId: 'c',
    by: authorOf(command),
    occurredAt: timeOf(command),
  },
  recordedAt: timeOf(command),
});

/** The events of a job with this id. A command that is refused is a mistake of the test. */
export const storyOf = (jobId: string, commands: readonly JobCommand[]): readonly StoryEvent[] => {
  let state: JobState = noJob;
  const recorded: StoryEvent[] = [];
  for (const command of commands) {
    const decision = decide(command, state);
    if (E.isLeft(decision)) throw new Error(`${command._tag} was refused: ${decision.left._tag}`);
    for (const event of decision.right) recorded.push(recordedEvent(jobId, event, recorded.length, command));
    state = advanceJob(state, decision.right);
  }
  return recorded;
};

export const recordedStory = (...commands: readonly JobCommand[]): readonly StoryEvent[] =>
  storyOf(jobId, commands);
