/**
 * NOTIFY tells subscriptions that there is news; it only shortens their waiting (field case 26). It is never part of an append,
 * whose commits it would serialise: it follows in a transaction of its own, at most every 20 ms, that waits for no disk.
 */
import pg from 'pg';
import { backOff } from '../back-off.js';
import { quoteIdentifier, type SchemaName } from './schema-name.js';
import { patience, silenceWatch } from './silence.js';

export interface WakeUps {
  readonly wake: () => void;
  /** Calls the listener at every wake-up, of this process or another, with the job that is summoned, if one is; gives back how to stop. */
  readonly listen: (listener: (jobId?: string) => void) => () => void;
  /** Tells every process at once that there is news of this job. */
  readonly summon: (jobId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const QUIET_MILLISECONDS = 20;
const FIRST_RETRY_MILLISECONDS = 200;
const LONGEST_RETRY_MILLISECONDS = 1_000;

/** Nothing else is ever asked on the listening connection: that it is silent shows only in a probe that has no answer. */
export interface ListeningTimes {
  readonly probeMs: number;
  readonly silenceMs: number;
}

const usualTimes: ListeningTimes = { probeMs: 10_000, silenceMs: patience.usual };

/** Runs `action` at once, then at most every `milliseconds`; what came meanwhile is not lost. */
const throttled = (milliseconds: number, action: () => void): { call: () => void; cancel: () => boolean } => {
  let timer: NodeJS.Timeout | undefined;
  let isPending = false;
  const run = (): void => {
    isPending = false;
    action();
    timer = setTimeout(() => {
      timer = undefined;
      if (isPending) run();
    }, milliseconds);
    timer.unref();
  };
  return {
    call: () => {
      if (timer === undefined) run();
      else isPending = true;
    },
    /** True where a call was still to come. */
    cancel: () => {
      clearTimeout(timer);
      return isPending;
    },
  };
};

/** A connection that listens as long as it is wanted, and comes back when it is lost. */
const listening = (
  pool: pg.Pool,
  channel: string,
  onNews: (jobId?: string) => void,
  { probeMs, silenceMs }: ListeningTimes,
): (() => Promise<void>) => {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const retries = backOff(FIRST_RETRY_MILLISECONDS, LONGEST_RETRY_MILLISECONDS);
  const silence = silenceWatch(silenceMs, () => isClosed);

  const connect = async (): Promise<void> => {
    const next = new pg.Client(pool.options);
    client = next;
    silence.add(next);
    let probe: NodeJS.Timeout | undefined;
    let isAsked = false;
    let isLost = false;
    const lose = (): void => {
      if (isLost) return;
      isLost = true;
      clearInterval(probe);
      void next.end().catch(() => undefined);
      if (isClosed) return;
      timer = setTimeout(() => void connect(), retries.next());
      timer.unref();
    };
    const ask = async (): Promise<void> => {
      if (isAsked) return;
      isAsked = true;
      await next.query('SELECT 1').catch(lose);
      isAsked = false;
    };
    next.on('error', lose);
    next.on('end', lose);
    next.on('notification', ({ payload }) => onNews(payload === '' ? undefined : payload));
    try {
      await next.connect();
      await next.query(`LISTEN ${quoteIdentifier(channel)}`);
      retries.reset();
      // What was notified while nobody listened is not told again.
      onNews();
      if (!isLost) probe = setInterval(() => void ask(), probeMs).unref();
    } catch {
      lose();
    }
  };

  void connect();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined);
  };
};

export const postgresWakeUps = (pool: pg.Pool, schema: SchemaName, times = usualTimes): WakeUps => {
  const channel = `${schema}:appended`;
  const listeners = new Set<(jobId?: string) => void>();
  let stopListening: (() => Promise<void>) | undefined;
  const onNews = (jobId?: string): void => {
    for (const listener of listeners) listener(jobId);
  };

  // A lost wake-up costs its readers one poll; the next statement of the pool reports what is wrong.
  const tell = async (): Promise<void> => {
    const text = `BEGIN; SET LOCAL synchronous_commit = off; NOTIFY ${quoteIdentifier(channel)}; COMMIT`;
    await pool.query(text).catch(() => undefined);
  };

  /** What is being told: whoever appends and leaves must not take the news along. */
  let telling: Promise<void> = Promise.resolve();
  const notify = throttled(QUIET_MILLISECONDS, () => {
    onNews();
    telling = tell();
  });

  return {
    wake: notify.call,
    summon: async (jobId) => {
      await pool.query('SELECT pg_notify($1, $2)', [channel, jobId]).catch(() => undefined);
    },
    listen: (listener) => {
      listeners.add(listener);
      stopListening ??= listening(pool, channel, onNews, times);
      return () => listeners.delete(listener);
    },
    close: async () => {
      if (notify.cancel()) await tell();
      await telling;
      await stopListening?.();
    },
  };
};
