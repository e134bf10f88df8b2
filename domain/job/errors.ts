/** Why a command was refused. Expected outcomes, all fields data. */
import type { JobState } from './state.js';

export type JobRejection =
  | { readonly _tag: 'NoSuchJob' }
  | { readonly _tag: 'AlreadyEnqueued' }
  /** Claimed, ended, or once claimed: an equal enqueue cannot be answered with it. */
  | { readonly _tag: 'NotASurvivor'; readonly state: JobState['_tag'] }
  | { readonly _tag: 'NotWaiting'; readonly state: JobState['_tag'] }
  | { readonly _tag: 'NotDue'; readonly notBefore: string }
  /** The fence: the claim this token stands for is not the current one. */
  | { readonly _tag: 'LeaseLost'; readonly held: string; readonly current: string | undefined }
  | { readonly _tag: 'LeaseHeld'; readonly until: string }
  | { readonly _tag: 'NotStarted' }
  | { readonly _tag: 'AlreadyStarted' }
  | { readonly _tag: 'NotStopped'; readonly state: JobState['_tag'] }
  | { readonly _tag: 'ReadyAlready' }
  /** Nobody holds a claim that could be given back. */
  | { readonly _tag: 'NotHeld'; readonly state: JobState['_tag'] }
  | { readonly _tag: 'HasEnded'; readonly state: JobState['_tag'] };

export const explainRejection = (rejection: JobRejection): string => {
  switch (rejection._tag) {
    case 'NoSuchJob':
      return 'there is no such job';
    case 'AlreadyEnqueued':
      return 'the job has been enqueued before';
    case 'NotASurvivor':
      return `the job is ${rejection.state} or has been claimed before; an equal enqueue cannot join it`;
    case 'NotWaiting':
      return `the job is ${rejection.state}, not Waiting`;
    case 'NotDue':
      return `the job is not due before ${rejection.notBefore}`;
    case 'LeaseLost':
      return `the claim ${rejection.held} is no longer the current one${rejection.current === undefined ? '' : ` (${rejection.current} is)`}`;
    case 'LeaseHeld':
      return `the lease is held until ${rejection.until}`;
    case 'NotStarted':
      return 'the claim has not been started';
    case 'AlreadyStarted':
      return 'the claim has been started already';
    case 'NotStopped':
      return `the job is ${rejection.state}; one that is abandoned, cancelled, or waits for a later time can be made ready`;
    case 'ReadyAlready':
      return 'the job is ready already; a free runner with a handler for it takes it next';
    case 'NotHeld':
      return `the job is ${rejection.state}; there is no claim to give back`;
    case 'HasEnded':
      return `the job has ended: it is ${rejection.state}`;
  }
};
