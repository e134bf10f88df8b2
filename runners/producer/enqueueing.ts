/** What the steps of an enqueue share: ports, drafts with the place of their answer, and the answers. */
import type * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { InvalidSpecification } from '../../domain/job/specification.js';
import type { EventStore } from '../../domain/ports.js';
import type { JobIndex } from '../../projections/ports.js';
import type { LedgerClock } from '../clock.js';
import type { Draft } from './job-draft.js';

export type EnqueueOutcome =
  | { readonly jobId: string; readonly outcome: 'enqueued' | 'already-enqueued' }
  | { readonly jobId: string; readonly outcome: 'suppressed'; readonly survivor: string };

export type EnqueueError = InvalidSpecification | StoreError;
export type EnqueueAnswer = E.Either<EnqueueError, EnqueueOutcome>;

export interface ProducerPorts {
  readonly store: Pick<EventStore, 'append' | 'readStreams'>;
  readonly index: JobIndex;
  readonly clock: LedgerClock;
  /** Who enqueues, as the events' metadata tell. */
  readonly by: string;
}

/** A draft and the place of its answer. */
export interface Entry {
  readonly index: number;
  readonly job: Draft;
}

export type Answers = (EnqueueAnswer | undefined)[];
