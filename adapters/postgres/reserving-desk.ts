/**
 * Where runners come for work whose history is elsewhere. Rows are reserved for a moment instead of locked: the claim is the append at the
 * revision of the row, the projector takes the row away behind it. A row may be older than its stream: then the claim is lost, no more.
 */
import { isLeft } from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import type { StoreError } from '../../domain/errors.js';
import { jobIdOf } from '../../domain/ledger.js';
import type { AppendOutcome, EventStore, StreamAppend } from '../../domain/ports.js';
import type { ClaimDesk, ClaimSession, JobIndex, Pick } from '../../projections/ports.js';
import { attempt } from './error-mapping.js';
import { pickRows, type PickedRows } from './pick.js';
import { openReservations, type Settlement } from './reservations.js';
import type { SchemaName } from './schema-name.js';
import { withClient } from './statement.js';
import { inTransaction } from './transaction.js';

export interface ClaimFigures {
  /** Rows that were reserved. */
  readonly tried: number;
  /** Of these, jobs that were gone already, or that another took first. */
  readonly lost: number;
}

export interface ReservingDesk extends ClaimDesk {
  readonly figures: () => ClaimFigures;
}

export interface Elsewhere {
  readonly store: EventStore;
  readonly index: JobIndex;
  /** Brings `ready_job` to the end of history. */
  readonly upToDate: TE.TaskEither<StoreError, unknown>;
}

/** What a claim is made with: the history elsewhere, and counting what is lost. */
const sessionOn = ({ store, index }: Elsewhere, notes: Notes): Omit<ClaimSession, 'picked' | 'now'> => ({
  index,
  store: {
    readStreams: store.readStreams,
    append: (appends) => async () => {
      const outcomes = await store.append(appends)();
      if (outcomes._tag === 'Right') noteOutcomes(notes, appends, outcomes.right);
      return outcomes;
    },
  },
  isBehind: true,
  // The row is the projector's. What put it there may come again later, and must not be taken away before it has.
  dropStale: (jobIds) =>
    TE.fromIO(() => {
      notes.lost += jobIds.length;
      for (const jobId of jobIds) notes.past.set(jobId, 0n);
    }),
});

/** Limits need claims that commit with what counts them: `configure` refuses them here. */
const unlimited = { heldBack: [], isIncomplete: false, charge: undefined } as const;

/** What has become of the rows of a pick. */
interface Notes {
  lost: number;
  /** Jobs whose streams have gone on, by this claim or another, and the revision that their rows show, as far as is known. */
  readonly past: Map<string, bigint>;
}

const noteOutcomes = (
  notes: Notes,
  appends: readonly StreamAppend[],
  outcomes: readonly AppendOutcome[],
): void => {
  for (const [index, outcome] of outcomes.entries()) {
    const isLost = isLeft(outcome) && outcome.left._tag === 'Conflict';
    if (isLost) notes.lost += 1;
    const append = appends[index];
    const jobId = jobIdOf(append?.stream ?? '');
    if (jobId === undefined || typeof append?.expected !== 'bigint') continue;
    if (isLost || outcome._tag === 'Right') notes.past.set(jobId, append.expected);
  }
};

/** Of the rows that were picked their own revision counts, however far their streams have gone on. */
const settlement = ({ picked }: PickedRows, notes: Notes): Settlement => {
  const past = new Map(notes.past);
  const open: string[] = [];
  for (const { jobId, revision } of picked) {
    if (past.has(jobId)) past.set(jobId, revision);
    else open.push(jobId);
  }
  return { past, open };
};

export const reservingClaimDesk = (
  pool: pg.Pool,
  schema: SchemaName,
  desk: ClaimDesk,
  elsewhere: Elsewhere,
): ReservingDesk => {
  const pick = pickRows(schema, 'unreserved');
  const reservations = openReservations(pool, schema);
  const figures = { tried: 0, lost: 0 };

  /** Two that pick at the same moment may see the same row; the reservation is decided by whoever writes it first. */
  const reserved = (picks: readonly Pick[]): Promise<PickedRows> =>
    withClient(pool, (client) =>
      inTransaction(client, async () => {
        const { picked, now } = await pick(client, picks, true);
        const own = picked.length === 0 ? new Set() : await reservations.take(client, picked);
        return { picked: picked.filter(({ jobId }) => own.has(jobId)), now };
      }),
    );

  return {
    figures: () => ({ ...figures }),
    readyQueues: (scope) => async () => {
      const queues = await desk.readyQueues(scope)();
      if (isLeft(queues) || queues.right.length > 0) return queues;
      const current = await elsewhere.upToDate();
      return isLeft(current) ? current : desk.readyQueues(scope)();
    },
    hasReady: (scope) => async () => {
      const current = await elsewhere.upToDate();
      return isLeft(current) ? current : desk.hasReady(scope)();
    },
    nextDue: desk.nextDue,
    longestWait: desk.longestWait,
    openLimits: () => TE.of(undefined),
    withPicked: (picks, use) =>
      attempt(async () => {
        await reservations.tidy();
        const asked = performance.now();
        const rows = await reserved(picks);
        const pickMs = performance.now() - asked;
        const notes: Notes = { lost: 0, past: new Map() };
        const session = { ...sessionOn(elsewhere, notes), ...rows, ...unlimited, pickMs };
        const answer = await reservations.during(rows.picked, () => use(session));
        figures.tried += rows.picked.length;
        figures.lost += notes.lost;
        if (rows.picked.length > 0) await reservations.settle(settlement(rows, notes));
        return answer;
      }),
  };
};
