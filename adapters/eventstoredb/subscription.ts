/**
 * A subscription that stays: end, error and silence are all the same to it, a drop, and it goes on behind the last position that was
 * handled. One call at a time. connecting → catching-up → live; any → dropped → connecting; any → stopped.
 */
import { START } from '../../domain/ledger.js';
import type { SubscribeOptions, Subscription } from '../../domain/ports.js';
import { backOff } from '../back-off.js';
import { bell } from '../bell.js';
import { StoreFailure } from './errors.js';
import { openFeed } from './feed.js';
import { endOfLog } from './read.js';
import { serve } from './serving.js';
import {
  become,
  isStopped,
  noteBehind,
  reasonOf,
  Rejection,
  type Machine,
  type SubscriptionPorts,
  type SubscriptionSettings,
  type SubscriptionState,
} from './subscription-state.js';

const PAGE_EVENTS = 500;
const PAGE_BYTES = 8 * 1024 * 1024;
const FIRST_BACK_OFF = 50;
const LONGEST_BACK_OFF = 2_000;

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
  await news.wait(machine.retries.next());
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
    retries: backOff(FIRST_BACK_OFF, LONGEST_BACK_OFF),
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
