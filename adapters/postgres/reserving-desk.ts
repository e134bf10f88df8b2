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
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, withClient } from './statement.js';
import { inTransaction } from './transaction.js';

/** Longer than a claim takes; a runner that dies in between costs its rows as much. */
const RESERVED_MS = 5_000;
const FORGET_EVERY_MS = 10_000;

const RESERVE = `
INSERT INTO __schema__.reservation AS v (job, revision, until)
SELECT p.job, p.revision, clock_timestamp() + $3::integer * interval '1 millisecond'
FROM unnest($1::uuid[], $2::bigint[]) AS p (job, revision)
ORDER BY p.job
ON CONFLICT (job) DO UPDATE SET revision = excluded.revision, until = excluded.until
WHERE v.revision <> excluded.revision OR v.until <= clock_timestamp()
RETURNING v.job::text`;

// What a stream has left behind is never to be claimed again, however long its row still stands; the rest is free for the next pick.
const SETTLE = `
WITH past AS (
  INSERT INTO __schema__.reservation AS v (job, revision, until)
  SELECT p.job, p.revision, clock_timestamp() + interval '10 minutes'
  FROM unnest($1::uuid[], $2::bigint[]) AS p (job, revision)
  ORDER BY p.job
  ON CONFLICT (job) DO UPDATE SET revision = excluded.revision, until = excluded.until
)
DELETE FROM __schema__.reservation WHERE job = ANY ($3::uuid[])`;

const FORGET = `
DELETE FROM __schema__.reservation v
WHERE NOT EXISTS (SELECT FROM __schema__.ready_job r WHERE r.job = v.job AND r.revision = v.revision)`;

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
const settlement = ({ picked }: PickedRows, notes: Notes): readonly (readonly string[])[] => {
  const past = new Map(notes.past);
  const open: string[] = [];
  for (const { jobId, revision } of picked) {
    if (past.has(jobId)) past.set(jobId, revision);
    else open.push(jobId);
  }
  return [[...past.keys()], [...past.values()].map(String), open];
};

export const reservingClaimDesk = (
  pool: pg.Pool,
  schema: SchemaName,
  desk: ClaimDesk,
  elsewhere: Elsewhere,
): ReservingDesk => {
  const pick = pickRows(schema, 'unreserved');
  const reserve = prepared('reserve', inSchema(RESERVE, schema));
  const settle = prepared('settle-reserved', inSchema(SETTLE, schema));
  const forget = prepared('forget', inSchema(FORGET, schema));
  const figures = { tried: 0, lost: 0 };
  let forgottenAt = performance.now();

  const tidy = async (): Promise<void> => {
    if (performance.now() - forgottenAt < FORGET_EVERY_MS) return;
    forgottenAt = performance.now();
    await rowsOf(pool, forget, []);
  };

  /** Two that pick at the same moment may see the same row; the reservation is decided by whoever writes it first. */
  const reserved = (picks: readonly Pick[]): Promise<PickedRows> =>
    withClient(pool, (client) =>
      inTransaction(client, async () => {
        const { picked, now } = await pick(client, picks, true);
        if (picked.length === 0) return { picked, now };
        const jobs = picked.map(({ jobId }) => jobId);
        const revisions = picked.map(({ revision }) => revision.toString());
        const own = new Set(
          (await rowsOf(client, reserve, [jobs, revisions, RESERVED_MS])).map(([job]) => job),
        );
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
    nextDue: desk.nextDue,
    longestWait: desk.longestWait,
    openLimits: () => TE.of(undefined),
    withPicked: (picks, use) =>
      attempt(async () => {
        await tidy();
        const asked = performance.now();
        const rows = await reserved(picks);
        const pickMs = performance.now() - asked;
        const notes: Notes = { lost: 0, past: new Map() };
        const answer = await use({ ...sessionOn(elsewhere, notes), ...rows, ...unlimited, pickMs });
        figures.tried += rows.picked.length;
        figures.lost += notes.lost;
        if (rows.picked.length > 0) await rowsOf(pool, settle, settlement(rows, notes));
        return answer;
      }),
  };
};
