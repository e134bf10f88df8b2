/**
 * A subscription that stays: end, error and silence are all the same to it, a drop, and it goes on behind the last position that was
 * handled. One call at a time. connecting → catching-up → live; any → dropped → connecting; any → stopped.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { START, type Position } from '../../domain/ledger.js';
import type { Page, SubscribeOptions, Subscription } from '../../domain/ports.js';
import { bell, type Bell } from '../bell.js';
import type { ClientSupervisor } from './client-supervisor.js';
import { StoreFailure } from './errors.js';
import { openFeed, type Feed } from './feed.js';
import { endOfLog, readStretch, type Reading } from './read.js';

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

const PAGE_EVENTS = 500;
const PAGE_BYTES = 8 * 1024 * 1024;
const FIRST_BACK_OFF = 50;
const LONGEST_BACK_OFF = 2_000;

/** For good: what the handler throws, a start behind the end of history, an event that cannot be read. */
class Rejection extends Error {}

interface Machine {
  readonly ports: SubscriptionPorts;
  readonly options: SubscribeOptions;
  readonly settings: SubscriptionSettings;
  readonly news: Bell;
  state: SubscriptionState;
  /** Undefined until a subscription to what is to come has learned where that begins. */
  handled: Position | undefined;
  hasBegun: boolean;
  wasLive: boolean;
  backOff: number;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const become = (machine: Machine, state: SubscriptionState): void => {
  machine.state = state;
  machine.settings.onState?.(state);
};

const isStopped = ({ state }: Machine): boolean => state === 'stopped';

const handle = async (machine: Machine, page: Page): Promise<void> => {
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

const noteBehind = (machine: Machine, handled: Position): void => {
  if (!machine.wasLive) return;
  machine.wasLive = false;
  if (machine.state === 'live') become(machine, 'catching-up');
  machine.options.onNotice?.({ _tag: 'FellBehind', position: handled });
};

const noteLive = (machine: Machine, handled: Position): void => {
  machine.backOff = FIRST_BACK_OFF;
  if (machine.state !== 'live') become(machine, 'live');
  if (machine.wasLive) return;
  machine.wasLive = true;
  machine.options.onNotice?.({ _tag: 'CaughtUp', position: handled });
};

/** Nothing has come for a while. Is there something that should have? What the filter leaves out only moves the position. */
const look = async (machine: Machine, feed: Feed, handled: Position): Promise<void> => {
  const { reading } = machine.ports;
  const before = feed.received();
  const end = await endOfLog(reading);
  if (end <= handled) return;
  const { streamPrefix } = machine.options;
  const filter = streamPrefix === undefined ? {} : { streamPrefix };
  const page = await readStretch(reading, { ...filter, after: handled, upTo: end, limit: 1 });
  if (feed.received() !== before) return;
  if (page.events.length > 0)
    throw new Error(`silent at position ${handled} while the log goes on to ${end}`);
  await handle(machine, page);
};

const LINGER_MS = 5;

/** While history is caught up with, a page is what comes in one go: a transaction for each dozen events would be dear. */
const pageful = async (feed: Feed): Promise<void> => {
  for (let waiting = 0; !feed.isSettled() && feed.waiting() > waiting;) {
    waiting = feed.waiting();
    await delay(LINGER_MS);
  }
};

/** Serves one call until it ends: takes what has come, hands it over, and looks where nothing comes. */
const serve = async (machine: Machine, feed: Feed, endBefore: Position): Promise<void> => {
  const { settings, news } = machine;
  let heard = { received: -1, at: performance.now() };
  for (;;) {
    await pageful(feed);
    const ending = feed.ending();
    const fellBehind = feed.hasFallenBehind();
    const { events, upTo, isCaughtUp } = feed.take();
    if (fellBehind) noteBehind(machine, machine.handled ?? START);
    await handle(machine, { events, upTo: isCaughtUp && endBefore > upTo ? endBefore : upTo });
    if (isStopped(machine)) return;
    const handled = machine.handled ?? START;
    if (isCaughtUp && feed.waiting() === 0) noteLive(machine, handled);
    if (ending !== undefined) throw ending;
    if (feed.waiting() > 0) continue;
    if (feed.received() !== heard.received) heard = { received: feed.received(), at: performance.now() };
    const silence = performance.now() - heard.at;
    if (silence >= settings.silenceMs) {
      await look(machine, feed, handled);
      heard = { ...heard, at: performance.now() };
    } else await news.wait(settings.silenceMs - silence);
    if (isStopped(machine)) return;
  }
};

const connect = async (machine: Machine): Promise<void> => {
  const { ports, options, news } = machine;
  become(machine, 'connecting');
  const end = await endOfLog(ports.reading);
  machine.handled ??= end;
  // Only at the beginning: later a node may be asked that has not got everything yet.
  if (!machine.hasBegun && machine.handled > end) {
    throw new Rejection(`position ${machine.handled} lies behind the end of history, ${end}`);
  }
  machine.hasBegun = true;
  const after = machine.handled;
  await ports.clients.use(async (client) => {
    const feed = openFeed(client, {
      after,
      names: ports.reading.names,
      streamPrefix: options.streamPrefix ?? '',
      mostEvents: PAGE_EVENTS,
      mostBytes: PAGE_BYTES,
      onChange: news.ring,
    });
    become(machine, 'catching-up');
    try {
      await serve(machine, feed, end);
    } finally {
      await feed.close();
    }
  }, undefined);
};

/** A call that ended by itself says nothing of its connection; one that was silent does, and gets another. */
const drop = async (machine: Machine, error: unknown): Promise<boolean> => {
  const { settings, ports, options, news } = machine;
  become(machine, 'dropped');
  const isOurs = error instanceof Rejection || error instanceof StoreFailure;
  if (isOurs) {
    options.onNotice?.({ _tag: 'Dropped', reason: reasonOf(error) });
    return false;
  }
  ports.clients.replace();
  settings.log(
    `the subscription was dropped (${reasonOf(error)}); it goes on behind position ${machine.handled ?? START}`,
  );
  noteBehind(machine, machine.handled ?? START);
  await news.wait(machine.backOff);
  machine.backOff = Math.min(2 * machine.backOff, LONGEST_BACK_OFF);
  return true;
};

export const supervisedSubscription = (
  ports: SubscriptionPorts,
  options: SubscribeOptions,
  settings: SubscriptionSettings,
): Subscription & { readonly state: () => SubscriptionState } => {
  const news = bell();
  const { from } = options;
  const machine: Machine = {
    ports,
    options,
    settings,
    news,
    state: 'connecting',
    handled: from === 'live' ? undefined : from === 'start' ? START : from,
    hasBegun: false,
    wasLive: false,
    backOff: FIRST_BACK_OFF,
  };

  const run = async (): Promise<void> => {
    while (!isStopped(machine)) {
      try {
        await connect(machine);
      } catch (error) {
        if (isStopped(machine) || !(await drop(machine, error))) break;
      }
    }
    await ports.clients.close();
  };

  const running = run();
  return {
    state: () => machine.state,
    stop: async () => {
      become(machine, 'stopped');
      news.ring();
      await running;
    },
  };
};
