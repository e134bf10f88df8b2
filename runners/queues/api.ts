/** What a program can decide about queues, and ask. A missing wiki or type means all of them. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import type { Scope } from '../../domain/queue/scope.js';
import type { SettingChanges } from '../../domain/queue/settings.js';
import type { QueueBook, QueueDecisions } from '../../projections/ports.js';
import { anything, requestFlaw, text, unlessFlawed, words } from '../library/request.js';
import type { QueueError } from './errors.js';
import { controlQueue, type QueueControlPorts } from './queue-control.js';

/** Never undefined, but left out: a variable that happens to be unset must not stand for everything. */
export interface QueueNames {
  readonly wiki?: string;
  readonly type?: string;
}

export interface QueueReason extends QueueNames {
  /** As the event tells. */
  readonly why: string;
  /** Who decided. Default: who opened the ledger. */
  readonly by?: string | undefined;
}

export interface QueueApi {
  /** From then on nothing in this scope is claimed. What is claimed already runs on, and no job is moved. */
  readonly pauseQueue: (pause: QueueReason) => TE.TaskEither<QueueError, void>;
  /** Lifts the pause of exactly this scope; one of a wider scope holds on. */
  readonly resumeQueue: (resume: QueueReason) => TE.TaskEither<QueueError, void>;
  /** Settings that are not named stay; `null` takes one back. Runners follow within a second. */
  readonly configureQueue: (
    settings: QueueNames & SettingChanges & { readonly by?: string | undefined },
  ) => TE.TaskEither<QueueError, void>;
  /** All pauses and settings there are. */
  readonly queueDecisions: () => TE.TaskEither<StoreError, QueueDecisions>;
}

const scopeOf = ({ wiki, type }: QueueNames): Scope => ({ wiki, type });

const NAMES = { wiki: text, type: text, by: words };
const REASON = { ...NAMES, why: words };
/** Their values are judged where it is decided. */
const SETTINGS = {
  ...NAMES,
  class: anything,
  weight: anything,
  order: anything,
  running: anything,
  perSecond: anything,
  itemsPerSecond: anything,
};

const noState = TE.map((): void => undefined);

export const queueApi = (
  ports: QueueControlPorts & { readonly queueBook: QueueBook; readonly by: string },
): QueueApi => ({
  pauseQueue: (pause) =>
    unlessFlawed(requestFlaw('pauseQueue', pause, REASON, ['why']), () => {
      const { why, by = ports.by, ...names } = pause;
      return noState(controlQueue(ports, { _tag: 'PauseQueue', scope: scopeOf(names), why }, by));
    }),
  resumeQueue: (resume) =>
    unlessFlawed(requestFlaw('resumeQueue', resume, REASON, ['why']), () => {
      const { why, by = ports.by, ...names } = resume;
      return noState(controlQueue(ports, { _tag: 'ResumeQueue', scope: scopeOf(names), why }, by));
    }),
  configureQueue: (settings) =>
    unlessFlawed(requestFlaw('configureQueue', settings, SETTINGS), () => {
      const { wiki, type, by = ports.by, ...changes } = settings;
      return noState(controlQueue(ports, { _tag: 'ConfigureQueue', scope: { wiki, type }, changes }, by));
    }),
  queueDecisions: ports.queueBook.decisions,
});
