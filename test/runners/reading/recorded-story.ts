// Commands to one job, as the events that a store gives back: positions, metadata and all.
import * as E from 'fp-ts/lib/Either.js';
import { encodeEvent } from '../../../domain/events.js';
import type { JobCommand } from '../../../domain/job/commands.js';
import { decide } from '../../../domain/job/decide.js';
import type { JobEvent } from '../../../domain/job/events.js';
import { advanceJob } from '../../../domain/job/fold.js';
import { noJob, type JobState } from '../../../domain/job/state.js';
import type { RecordedEvent } from '../../../domain/ledger.js';
import { currentVersion } from '../../../domain/upcast.js';
import { at } from '../../support/given-commands.js';

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

const recordedEvent = (event: JobEvent, index: number, command: JobCommand): RecordedEvent => ({
  position: BigInt(index + 1),
  stream: `job-${jobId}`,
  revision: BigInt(index),
  id: `e0000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  type: event.type,
  data: JSON.parse(JSON.stringify(encodeEvent(event))) as unknown,
  metadata: {
    schemaVersion: currentVersion(event.type),
    correlationId: 'c',
    causationId: 'c',
    by: authorOf(command),
    occurredAt: timeOf(command),
  },
  recordedAt: timeOf(command),
});

/** One that is refused is a mistake of the test. */
export const recordedStory = (...commands: readonly JobCommand[]): readonly RecordedEvent[] => {
  let state: JobState = noJob;
  const recorded: RecordedEvent[] = [];
  for (const command of commands) {
    const decision = decide(command, state);
    if (E.isLeft(decision)) throw new Error(`${command._tag} was refused: ${decision.left._tag}`);
    for (const event of decision.right) recorded.push(recordedEvent(event, recorded.length, command));
    state = advanceJob(state, decision.right);
  }
  return recorded;
};
