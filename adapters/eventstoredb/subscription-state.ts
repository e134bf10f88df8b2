/** What a subscription is in the middle of: its state, how far it has handed over, and the notices that follow from both. */
import type { Position } from '../../domain/ledger.js';
import type { Page, SubscribeOptions } from '../../domain/ports.js';
import type { BackOff } from '../back-off.js';
import type { Bell } from '../bell.js';
import type { ClientSupervisor } from './client-supervisor.js';
import type { Reading } from './read.js';

export type SubscriptionState = 'connecting' | 'catching-up' | 'live' | 'dropped' | 'stopped';

export interface SubscriptionSettings {
  /** So long without a word from the server, while the log has gone on, is a drop. */
  readonly silenceMs: number;
  /** Told of every drop, and from where it goes on. */
  readonly log: (line: string) => void;
  readonly onState?: (state: SubscriptionState) => void;
}

export interface SubscriptionPorts {
  /** A client of the subscription's own. */
  readonly clients: ClientSupervisor;
  readonly reading: Reading;
}

/** For good: what the handler throws, a start behind the end of history, an event that cannot be read. */
export class Rejection extends Error {}

export interface Machine {
  readonly ports: SubscriptionPorts;
  readonly options: SubscribeOptions;
  readonly settings: SubscriptionSettings;
  readonly news: Bell;
  state: SubscriptionState;
  /** Undefined until a subscription to what is to come has learned where that begins. */
  handled: Position | undefined;
  hasBegun: boolean;
  wasLive: boolean;
  readonly retries: BackOff;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const become = (machine: Machine, state: SubscriptionState): void => {
  machine.state = state;
  machine.settings.onState?.(state);
};

export const isStopped = ({ state }: Machine): boolean => state === 'stopped';

export const handle = async (machine: Machine, page: Page): Promise<void> => {
  if (machine.handled !== undefined && page.upTo <= machine.handled) return;
  const { types } = machine.options;
  const events = types === undefined ? page.events : page.events.filter(({ type }) => types.includes(type));
  try {
    await machine.options.onPage({ events, upTo: page.upTo })();
  } catch (error) {
    throw new Rejection(reasonOf(error));
  }
  machine.handled = page.upTo;
};

export const noteBehind = (machine: Machine, handled: Position): void => {
  if (!machine.wasLive) return;
  machine.wasLive = false;
  if (machine.state === 'live') become(machine, 'catching-up');
  machine.options.onNotice?.({ _tag: 'FellBehind', position: handled });
};

export const noteLive = (machine: Machine, handled: Position): void => {
  machine.retries.reset();
  if (machine.state !== 'live') become(machine, 'live');
  if (machine.wasLive) return;
  machine.wasLive = true;
  machine.options.onNotice?.({ _tag: 'CaughtUp', position: handled });
};
