/** One call of a subscription, from its first page to its end. */
import { setTimeout as delay } from 'node:timers/promises';
import { START, type Position } from '../../domain/ledger.js';
import type { Feed } from './feed.js';
import { endOfLog, readStretch } from './read.js';
import { handle, isStopped, noteBehind, noteLive, type Machine } from './subscription-state.js';

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

/** What has come, handed over. Gone when it is: who waits for the next page, perhaps for hours, keeps nothing of the last. */
const handOver = async (machine: Machine, feed: Feed, endBefore: Position): Promise<void> => {
  const fellBehind = feed.hasFallenBehind();
  const { events, upTo, isCaughtUp } = feed.take();
  if (fellBehind) noteBehind(machine, machine.handled ?? START);
  await handle(machine, { events, upTo: isCaughtUp && endBefore > upTo ? endBefore : upTo });
  if (isCaughtUp && feed.waiting() === 0 && !isStopped(machine)) noteLive(machine, machine.handled ?? START);
};

/** Serves one call until it ends: takes what has come, hands it over, and looks where nothing comes. */
export const serve = async (machine: Machine, feed: Feed, endBefore: Position): Promise<void> => {
  const { settings, news } = machine;
  let heard = { received: -1, at: performance.now() };
  for (;;) {
    await pageful(feed);
    const ending = feed.ending();
    await handOver(machine, feed, endBefore);
    if (isStopped(machine)) return;
    if (ending !== undefined) throw ending;
    if (feed.waiting() > 0) continue;
    if (feed.received() !== heard.received) heard = { received: feed.received(), at: performance.now() };
    const silence = performance.now() - heard.at;
    if (silence >= settings.silenceMs) {
      await look(machine, feed, machine.handled ?? START);
      heard = { ...heard, at: performance.now() };
    } else await news.wait(settings.silenceMs - silence);
    if (isStopped(machine)) return;
  }
};
