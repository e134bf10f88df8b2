// A whole ledger in a database of its own, and what tests ask of it.
import * as E from 'fp-ts/lib/Either.js';
import { auditAll } from '../../adapters/postgres/audit.js';
import { newId } from '../../adapters/system.js';
import { decodeEvent } from '../../domain/events.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { decide } from '../../domain/job/decide.js';
import type { JobRejection } from '../../domain/job/errors.js';
import type { JobEvent, JobEventOf, JobEventType } from '../../domain/job/events.js';
import type { JobState } from '../../domain/job/state.js';
import { jobIdOf, jobStream, type RecordedEvent } from '../../domain/ledger.js';
import type { AppendError } from '../../domain/errors.js';
import { projections } from '../../projections/index.js';
import { envelope } from '../../runners/streams/event-envelope.js';
import { loadJob } from '../../runners/streams/job-streams.js';
import { openLedger, type Ledger, type OpenOptions } from '../../runners/ledger.js';
import { right } from './ledger-database.js';
import { endedAtLast } from './left-over.js';
import { testDatabase } from './postgres.js';

export interface TestLedger extends Ledger {
  /** Where it is, for runners that are processes of their own. */
  readonly place: {
    readonly url: string;
    readonly schema: string;
    readonly eventstoreUrl?: string | undefined;
    readonly ledger?: string | undefined;
  };
  /** The same, for commands. */
  readonly environment: Readonly<Record<string, string>>;
  readonly drop: () => Promise<void>;
}

export const testLedger = async (
  schema = 'jobledger',
  elsewhere: Partial<Pick<OpenOptions, 'eventstoreUrl' | 'ledger' | 'report'>> = {},
): Promise<TestLedger> => {
  const database = await testDatabase();
  const where = { databaseUrl: database.url, home: '', schema, by: 'test', report: () => undefined };
  const ledger = await right(openLedger({ ...where, ...elsewhere }));
  const end = async (): Promise<void> => {
    await ledger.close();
    await database.drop();
  };
  const isEnded = endedAtLast(end);
  const { eventstoreUrl, ledger: name } = elsewhere;
  return {
    ...ledger,
    place: { url: database.url, schema, eventstoreUrl, ledger: name },
    environment: {
      JOBLEDGER_DATABASE_URL: database.url,
      JOBLEDGER_SCHEMA: schema,
      ...(eventstoreUrl === undefined ? {} : { JOBLEDGER_EVENTSTORE_URL: eventstoreUrl }),
      ...(name === undefined ? {} : { JOBLEDGER_LEDGER: name }),
    },
    drop: async () => {
      isEnded();
      await end();
    },
  };
};

/** Ids of jobs that must all be answered `enqueued`. */
export const enqueued = async (ledger: Ledger, ...specifications: readonly object[]): Promise<string[]> => {
  const answers = await ledger.producer.enqueueAll(specifications);
  return answers.map((answer) => {
    if (E.isLeft(answer)) throw new Error(JSON.stringify(answer.left));
    if (answer.right.outcome !== 'enqueued') throw new Error(`the job was ${answer.right.outcome}`);
    return answer.right.jobId;
  });
};

export const stateOf = async (ledger: Ledger, jobId: string): Promise<JobState> =>
  right(() => loadJob(ledger.store, jobId));

export const isIn = async (ledger: Ledger, tag: JobState['_tag'], ...jobIds: readonly string[]) => {
  for (const jobId of jobIds) if ((await stateOf(ledger, jobId))._tag !== tag) return false;
  return true;
};

export type Recorded = RecordedEvent & { readonly event: JobEvent };

const recorded = (raw: RecordedEvent): Recorded => {
  const decoded = decodeEvent(raw);
  if (E.isLeft(decoded)) throw new Error(decoded.left);
  return { ...raw, event: decoded.right as JobEvent };
};

export const historyOf = async (ledger: Ledger, jobId: string): Promise<readonly Recorded[]> =>
  (await right(ledger.store.readStream(jobStream(jobId)))).map(recorded);

/** Of a job whose runner was lost in its first attempt, and that succeeded in the hands of another. */
export const TAKEN_OVER: readonly string[] = [
  'JobEnqueued',
  'JobClaimed',
  'AttemptStarted',
  'LeaseExpired',
  'RetryScheduled',
  'JobClaimed',
  'AttemptStarted',
  'AttemptSucceeded',
];

export const typesOf = async (ledger: Ledger, jobId: string): Promise<readonly string[]> =>
  (await historyOf(ledger, jobId)).map(({ type }) => type);

/** The data of a job's events of one type. */
export const factsOf = async <T extends JobEventType>(
  ledger: Ledger,
  jobId: string,
  type: T,
): Promise<readonly JobEventOf<T>['data'][]> =>
  (await historyOf(ledger, jobId)).flatMap(({ event }) =>
    event.type === type ? [event.data as JobEventOf<T>['data']] : [],
  );

/** All events of streams whose names begin so, in order. */
export const everyEvent = async (
  ledger: Ledger,
  streamPrefix = 'job-',
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  let after = 0n;
  for (const end = await right(ledger.store.end()); after < end;) {
    const page = await right(ledger.store.readAll({ after, upTo: end, streamPrefix, limit: 5_000 }));
    events.push(...page.events);
    after = page.upTo;
  }
  return events;
};

/** All events of jobs, by job. */
export const everyHistory = async (ledger: Ledger): Promise<ReadonlyMap<string, readonly Recorded[]>> => {
  const histories = new Map<string, Recorded[]>();
  for (const raw of await everyEvent(ledger)) {
    const jobId = jobIdOf(raw.stream) ?? '';
    histories.set(jobId, [...(histories.get(jobId) ?? []), recorded(raw)]);
  }
  return histories;
};

/** A command by hand: decided on the job as it stands, appended at that revision. */
export const act = async (
  ledger: Ledger,
  jobId: string,
  command: JobCommand,
): Promise<E.Either<JobRejection | AppendError, readonly JobEvent[]>> => {
  const state = await stateOf(ledger, jobId);
  const decision = decide(command, state);
  if (E.isLeft(decision)) return decision;
  const expected = state._tag === 'None' ? 'no-stream' : state.revision;
  const origin = { commandId: newId(), by: 'hand', occurredAt: ledger.clock.now() };
  const append = { stream: jobStream(jobId), expected, events: envelope(decision.right, origin) } as const;
  const [outcome] = await right(ledger.store.append([append]));
  if (outcome === undefined) throw new Error('no answer');
  return E.map(() => decision.right)(outcome);
};

/** Every table brought to the end of history; the names of those that differ from it. */
export const unequalTables = async (ledger: Ledger): Promise<readonly string[]> => {
  const driven = projections.map(ledger.driven);
  await right(ledger.catchUp(driven.filter(({ drive }) => drive === 'catch-up')));
  const unequal: string[] = [];
  for (const { name, report } of await right(
    auditAll(ledger.pool, ledger.schema, driven, ledger.historyOn),
  )) {
    if (E.isLeft(report) || !report.right.equal) unequal.push(`${name}: ${JSON.stringify(report, withText)}`);
  }
  return unequal;
};

const withText = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value;

/** One column of text of a statement's rows, of tables as of now; `__schema__` stands for the ledger's. */
export const column = async (
  ledger: Ledger,
  sql: string,
  ...values: readonly unknown[]
): Promise<readonly (string | null)[]> => {
  const { pool, schema, elsewhere, catchUp, projected } = ledger;
  if (elsewhere !== undefined) await right(catchUp(projected));
  const text = sql.replaceAll('__schema__', `"${schema}"`);
  const result = await pool.query<(string | null)[]>({ text, values: [...values], rowMode: 'array' });
  return result.rows.map(([cell]) => cell ?? null);
};
