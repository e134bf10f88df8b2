/**
 * A runner's time under one id: its presence is renewed, and what it holds is reported through one journal. A tenure that was
 * declared lost, or could not renew for a whole lease, is over: its handlers are aborted, its reports dropped.
 */
import * as E from 'fp-ts/lib/Either.js';
import { unavailable } from '../../domain/errors.js';
import type { Runner } from '../../domain/job/facts.js';
import type { AppendOutcome, EventStore, StreamAppend } from '../../domain/ports.js';
import type { RunnerPresence } from '../../projections/ports.js';
import { coalesce, type Coalesced } from '../streams/coalesce.js';
import type { LedgerClock } from '../clock.js';
import { backOff } from '../../adapters/back-off.js';
import { pause, pauseFor } from '../../adapters/pause.js';

const MOST_STREAMS_PER_TRIP = 1_000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 1_000;

export interface Tenure {
  readonly runner: Runner;
  readonly journal: Coalesced<StreamAppend, AppendOutcome>;
  /** Fires when the tenure is over. */
  readonly lost: AbortSignal;
  readonly lose: (why: string) => void;
  /** Renews at once. */
  readonly renew: () => Promise<void>;
  readonly end: () => void;
}

export interface TenurePorts {
  readonly store: Pick<EventStore, 'append'>;
  readonly presence: RunnerPresence;
  readonly clock: Pick<LedgerClock, 'measure' | 'offset'>;
  readonly log: (line: string) => void;
}

export interface TenureOptions {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** Ends the waiting for a database that does not answer. */
  readonly stopping: AbortSignal;
}

/** Appends until there is an answer or the tenure is over: same ids, same revisions. */
const journalOf = (ports: TenurePorts, lost: AbortSignal): Tenure['journal'] =>
  coalesce(async (appends: readonly StreamAppend[]) => {
    let told: string | undefined;
    const retries = backOff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
    for (;;) {
      if (lost.aborted) return appends.map(() => E.left(unavailable('the lease was lost before the report')));
      const outcomes = await ports.store.append(appends)();
      if (E.isRight(outcomes)) return outcomes.right;
      const { left } = outcomes;
      if (left._tag !== 'Unavailable') return appends.map(() => E.left(left));
      if (left.message !== told) ports.log(`reports wait for the database: ${left.message}`);
      told = left.message;
      await pause(retries.next(), lost);
    }
  }, MOST_STREAMS_PER_TRIP);

export const beginTenure = async (
  ports: TenurePorts,
  runner: Runner,
  options: TenureOptions,
): Promise<Tenure> => {
  const over = new AbortController();
  const ended = new AbortController();
  let renewedAt = performance.now();

  const lose = (why: string): void => {
    if (over.signal.aborted) return;
    ports.log(`runner ${runner.id} lost its leases: ${why}`);
    over.abort(new Error(why));
    ended.abort();
  };

  const renew = async (): Promise<void> => {
    const asked = performance.now();
    const renewed = await ports.presence.renew(runner.id, options.leaseMs, ports.clock.offset())();
    if (ended.signal.aborted) return;
    if (E.isRight(renewed) && !renewed.right) lose('it was overdue and has been declared lost');
    else if (E.isRight(renewed)) renewedAt = asked;
  };

  const leaseEnd = (): number => renewedAt + options.leaseMs;

  /** A renewal that is never answered must not keep the runner from knowing that its time is up. */
  const renewInTime = async (): Promise<void> => {
    const deadline = Math.max(performance.now() + options.heartbeatMs, leaseEnd());
    await pauseFor(renew(), deadline, ended.signal);
    if (performance.now() >= leaseEnd()) lose('it could not renew for a whole lease');
  };

  const beat = async (): Promise<void> => {
    const retries = backOff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
    let wait = options.heartbeatMs;
    while (!ended.signal.aborted) {
      await pause(wait, ended.signal);
      if (ended.signal.aborted) return;
      const asked = performance.now();
      await renewInTime();
      const isRenewed = renewedAt >= asked;
      if (isRenewed) retries.reset();
      const left = leaseEnd() - performance.now();
      wait = isRenewed
        ? options.heartbeatMs
        : Math.max(0, Math.min(options.heartbeatMs, retries.next(), left));
      // A machine that slept: from here on times are right again.
      if (isRenewed) void ports.clock.measure();
    }
  };

  renewedAt = await arrive(ports, runner, options);
  void beat();
  return {
    runner,
    journal: journalOf(ports, over.signal),
    lost: over.signal,
    lose,
    renew,
    end: () => ended.abort(),
  };
};

/** Whatever is wrong with the database, somebody mends it: nobody has to start the runner anew for it. Gives when it was asked. */
const arrive = async (
  { presence, clock, log }: TenurePorts,
  { id, host }: Runner,
  { leaseMs, stopping }: TenureOptions,
): Promise<number> => {
  const retries = backOff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  let told: string | undefined;
  for (;;) {
    const asked = performance.now();
    const arrived = await presence.arrive({ id, host, leaseMs, clockOffsetMs: clock.offset() })();
    if (E.isRight(arrived) || stopping.aborted) return asked;
    const { message } = arrived.left;
    if (message !== told) log(`the runner cannot announce itself, and tries again: ${message}`);
    told = message;
    await pause(retries.next(), stopping);
  }
};
