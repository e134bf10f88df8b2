/** Claims ahead of the free slots: from which queues, in which order of classes, and how deep. */
import * as E from 'fp-ts/lib/Either.js';
import type { StoreError } from '../../domain/errors.js';
import type { QueueName } from '../../domain/queue/scope.js';
import { workItems } from '../../domain/queue/work-items.js';
import type { ClaimDesk, LimitedClaim, Pick, PickSession, QueueScope } from '../../projections/ports.js';
import type { ClaimOptions } from './candidate.js';
import { claimPicked, type ClaimBatch, type TriedClaim } from './claiming.js';
import type { HeldJob } from './holding.js';
import type { InDoubtPorts } from './in-doubt.js';
import { lateClaims } from './late-claims.js';
import { limitsOpening } from './limits-opening.js';
import { knownQueues, type KnownQueues } from './known-queues.js';
import { lowWater } from './low-water.js';
import { tripsUnderWay, type Trips } from './trips.js';

const MOST_PICKED = 1_000;
const MOST_TRIES = 20;

export interface SupplyPorts extends InDoubtPorts {
  readonly desk: ClaimDesk;
}

export type Supplied = ClaimBatch & {
  /** No queue in scope had anything to give. */
  readonly isDry: boolean;
  /** When something that limits hold back may be had. */
  readonly retryInMs?: number;
  /** To be called when what was claimed is in hand: until then the keys of what was tried count as held. */
  readonly release: () => void;
};

export interface Supply {
  /** Up to `limit` claims, of which so many may be started at once. */
  readonly claim: (limit: number, startable: number) => Promise<E.Either<StoreError, Supplied>>;
  /** Resolves when nothing is under way any more beside the claims. */
  readonly end: () => Promise<void>;
  /** Forgets which queues were ready: something may have come. */
  readonly refresh: () => void;
  /** A job of this queue has ended here: a limit that held the queue back has room again. */
  readonly noteEnd: (queue: QueueName) => void;
}

const nothingHeld = (): void => undefined;
const NOTHING: ClaimBatch = { claimed: [], superseded: 0, picked: 0, twins: 0 };

interface Given {
  readonly batch: ClaimBatch;
  readonly session: PickSession;
}

/** How long a queue at its limit is left alone, unless there is news: the end of a job is. */
const HELD_MS = 50;
/** The limit may be taken back before the time that is told. */
const LONGEST_HELD_MS = 1_000;

/** What gave nothing is left out until it is looked for again, so that what is behind it gets its turn. */
const noteGiven = (
  { turns, starving }: KnownQueues,
  picks: readonly Pick[],
  { batch, session }: Given,
  { reach, asked }: { readonly reach: number; readonly asked: number },
): void => {
  const now = performance.now();
  const heldBack = new Map(session.heldBack.map(({ pick, inMs }) => [pick, inMs]));
  const jobs = new Map<number, number>();
  for (const { pick } of session.picked) jobs.set(pick, (jobs.get(pick) ?? 0) + 1);
  const isExhausted = batch.claimed.length + batch.superseded === 0 && batch.picked < reach;
  for (const [n, { queue, from }] of picks.entries()) {
    const count = jobs.get(n) ?? 0;
    const inMs = heldBack.get(n);
    if (heldBack.has(n)) {
      turns.hold(queue, Math.min(inMs ?? HELD_MS, LONGEST_HELD_MS), {
        asked,
        now,
        isTold: inMs !== undefined,
      });
    } else if ((isExhausted || count === 0) && from === undefined) turns.leaveOut(queue);
    turns.gave(queue.class, count, starving());
  }
};

const limitedClaims = (claimed: readonly HeldJob[]): readonly LimitedClaim[] =>
  claimed.map(({ jobId, state: { job } }) => {
    const { wiki, type } = job.enqueued;
    return { jobId, wiki, type, items: workItems(job.params) };
  });

const claimAndCharge = async (
  session: PickSession,
  options: ClaimOptions,
  tried: TriedClaim[],
): Promise<E.Either<StoreError, Given>> => {
  if (session.picked.length === 0) return E.right({ batch: NOTHING, session });
  const batch = await claimPicked(session, options, tried);
  if (E.isLeft(batch)) return batch;
  const charged = await session.charge?.(limitedClaims(batch.right.claimed))();
  return charged !== undefined && E.isLeft(charged) ? charged : E.right({ batch: batch.right, session });
};

/** Nothing to claim: because there is nothing, or because limits hold back what there is. */
const nothingOf = (turns: KnownQueues['turns']): Supplied => {
  const now = performance.now();
  const heldUntil = turns.heldUntil(now);
  return heldUntil === undefined
    ? { ...NOTHING, isDry: true, release: nothingHeld }
    : { ...NOTHING, isDry: false, retryInMs: heldUntil - now, release: nothingHeld };
};

export const supply = (
  ports: SupplyPorts,
  scope: QueueScope,
  options: () => Omit<ClaimOptions, 'most' | 'startable' | 'rank'>,
): Supply => {
  const known = knownQueues(ports.desk, scope);
  const { turns } = known;
  const marks = lowWater();
  const trips = tripsUnderWay();
  const limits = limitsOpening(ports.desk, ports.log, known.noteNews);
  const late = lateClaims(ports);
  /** Twins met by the last pick: the next one reaches behind them. */
  let twins = 0;

  const fetch = async (limit: number, startable: number): Promise<E.Either<StoreError, Supplied>> => {
    const reach = Math.min(MOST_PICKED, limit + 2 * twins);
    const asked = performance.now();
    const picks = turns
      .plan(reach, asked, known.starving())
      .map((pick) => ({ ...pick, from: marks.from(pick.queue) }));
    // A class that was passed over for long goes with the first one: its jobs are not to be passed over here again.
    const rank = picks[0]?.queue.class ?? 0;
    const tried: TriedClaim[] = [];
    const release = (): void => {
      const { keys } = options();
      for (const { dedupKey } of tried) keys.drop(dedupKey);
    };
    const given = E.flatten(
      await ports.desk.withPicked(picks, (session) =>
        claimAndCharge(session, { ...options(), rank, most: limit, startable }, tried),
      )(),
    );
    if (E.isLeft(given)) {
      const held = await late.settle(given, { tried, rank }, options().lost);
      if (E.isLeft(held)) release();
      return E.map((claimed: readonly HeldJob[]) => asSupplied(release, claimed))(held);
    }
    const { batch, session } = given.right;
    marks.learn(picks, session.picked, session.pickMs);
    twins = batch.twins;
    noteGiven(known, picks, given.right, { reach, asked });
    if (session.isIncomplete) limits.begin();
    // What was told of since the queues were read may stand in one that was not known then.
    const isLeft = turns.ranks(performance.now()).length > 0 || known.isOutdated();
    const further = batch.picked > 0 || isLeft ? { isDry: false } : nothingOf(turns);
    return E.right({ ...further, ...batch, release });
  };

  return {
    end: async () => {
      await Promise.all([limits.settled(), late.end()]);
    },
    refresh: known.noteNews,
    noteEnd: (queue) => turns.noteEnd(queue, performance.now()),
    claim: async (limit, startable) => {
      const held = late.take();
      if (held.length > 0) return E.right(asSupplied(nothingHeld, held));
      return untilRoom(known, trips, () => fetch(limit, startable));
    },
  };
};

type Answer = E.Either<StoreError, Supplied>;

/** Queues at their limits make room for those behind them at once. */
const untilRoom = async (known: KnownQueues, trips: Trips, fetch: () => Promise<Answer>): Promise<Answer> => {
  const { turns } = known;
  for (let tries = 0; ; tries += 1) {
    const refreshed = await known.refreshed();
    if (E.isLeft(refreshed)) return refreshed;
    const rank = await trips.clearWay(() => turns.ranks(performance.now())[0]);
    if (rank === undefined) return E.right(nothingOf(turns));
    const fetched = await trips.during(rank, fetch());
    const isHeldBack =
      E.isRight(fetched) && fetched.right.picked === 0 && turns.heldUntil(performance.now()) !== undefined;
    if (!isHeldBack || tries >= MOST_TRIES) return fetched;
  }
};

const asSupplied = (release: () => void, claimed: readonly HeldJob[]): Supplied => ({
  ...NOTHING,
  claimed,
  picked: claimed.length,
  isDry: false,
  release,
});
