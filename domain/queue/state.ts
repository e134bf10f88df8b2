/** What has been decided about one scope so far. */
import type { Revision, StreamName } from '../ledger.js';
import type { QueueSettings } from './settings.js';

export interface QueueState {
  /** Undefined where nothing has been decided yet. */
  readonly revision: Revision | undefined;
  readonly paused: { readonly why: string } | undefined;
  readonly settings: QueueSettings;
}

export const untouchedQueue: QueueState = { revision: undefined, paused: undefined, settings: {} };

export const queueStream = (id: string): StreamName => `queue-${id}`;
