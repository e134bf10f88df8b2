/** What a program can decide about queues, and ask. A missing wiki or type means all of them. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import type { Scope } from '../../domain/queue/scope.js';
import type { SettingChanges } from '../../domain/queue/settings.js';
import type { QueueBook, QueueDecisions } from '../../projections/ports.js';
import type { QueueError } from './errors.js';
import { controlQueue, type QueueControlPorts } from './queue-control.js';

export interface QueueNames {
  readonly wiki?: string;
  readonly type?: string;
}

export interface QueueReason extends QueueNames {
  /** As the event tells. */
  readonly why: string;
  /** Who decided. Default: who opened the ledger. */
  readonly by?: string;
}

export interface QueueApi {
  /** From then on nothing in this scope is claimed. What is claimed already runs on, and no job is moved. */
  readonly pauseQueue: (pause: QueueReason) => TE.TaskEither<QueueError, void>;
  /** Lifts the pause of exactly this scope; one of a wider scope holds on. */
  readonly resumeQueue: (resume: QueueReason) => TE.TaskEither<QueueError, void>;
  /** Settings that are not named stay; `null` takes one back. Runners follow within a second. */
  readonly configureQueue: (
    settings: QueueNames & SettingChanges & { readonly by?: string },
  ) => TE.TaskEither<QueueError, void>;
  /** All pauses and settings there are. */
  readonly queueDecisions: () => TE.TaskEither<StoreError, QueueDecisions>;
}

const scopeOf = ({ wiki, type }: QueueNames): Scope => ({ wiki, type });

const noState = TE.map((): void => undefined);

export const queueApi = (
  ports: QueueControlPorts & { readonly queueBook: QueueBook; readonly by: string },
): QueueApi => ({
  pauseQueue: ({ why, by, ...names }) =>
    noState(controlQueue(ports, { _tag: 'PauseQueue', scope: scopeOf(names), why }, by ?? ports.by)),
  resumeQueue: ({ why, by, ...names }) =>
    noState(controlQueue(ports, { _tag: 'ResumeQueue', scope: scopeOf(names), why }, by ?? ports.by)),
  configureQueue: ({ wiki, type, by, ...changes }) =>
    noState(controlQueue(ports, { _tag: 'ConfigureQueue', scope: { wiki, type }, changes }, by ?? ports.by)),
  queueDecisions: ports.queueBook.decisions,
});
