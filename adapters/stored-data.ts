/**
 * Data as the stores keep them: the events that every job has are kept without what follows from their type, their id and their
 * metadata, and without what is the same for most: half of their bytes. An event of which anything does not follow (an imported claim,
 * say) is kept whole. Readers of the port see every event whole (docs/adr/0005).
 */
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { decodeEvent } from '../domain/events.js';
import type { JobEventOf } from '../domain/job/events.js';
import { ExecutionSource, type Runner } from '../domain/job/facts.js';
import { taskIdOf } from '../domain/job/task-id.js';
import type { Metadata, NewEvent } from '../domain/ledger.js';
import { briefEnqueued, wholeEnqueued } from './stored-enqueued.js';
import type { ReadMetadata } from './stored-metadata.js';
import { tokenOf } from './system.js';

const USUAL_SOURCE = 'NORMAL_TRIGGER';
const USUAL_ITEM = 0;

const BRIEF = ['JobEnqueued', 'JobClaimed', 'AttemptStarted', 'AttemptSucceeded'] as const;
type Data<T extends (typeof BRIEF)[number]> = JobEventOf<T>['data'];

/** Undefined where the data are kept whole. */
export const briefData = ({ id, event, metadata }: NewEvent): object | undefined => {
  switch (event?.type) {
    case 'JobEnqueued':
      return briefEnqueued(event.data, metadata.occurredAt);
    case 'JobClaimed':
      return claimed(event.data, id, metadata);
    case 'AttemptStarted':
      return started(event.data, id, metadata);
    case 'AttemptSucceeded':
      return succeeded(event.data, metadata);
    default:
      return undefined;
  }
};

const withoutId = ({ host, ip, instance }: Runner): Omit<Runner, 'id'> => ({ host, ip, instance });

// Members are named one by one: rest and spread cost more than what they save.
const claimed = (data: Data<'JobClaimed'>, id: string, { by, occurredAt }: Metadata): object | undefined => {
  const { wiki, type, claims, runner, leaseExpiresAt } = data;
  const isUsual =
    data.from === 'Waiting' &&
    data.claimedAt === occurredAt &&
    runner.id === by &&
    data.token === tokenOf(id);
  return isUsual
    ? {
        wiki,
        type,
        claims,
        runner: withoutId(runner),
        leaseExpiresAt,
        dueAt: data.dueAt,
        retry: data.retry,
        ignoreDuplicates: data.ignoreDuplicates,
        isDeduplicated: data.isDeduplicated,
        imported: data.imported,
      }
    : undefined;
};

const started = (
  data: Data<'AttemptStarted'>,
  id: string,
  { by, occurredAt }: Metadata,
): object | undefined => {
  const { wiki, type, attempt, shardingItem, executionSource, dueAt, runner } = data;
  const isUsual =
    data.from === 'Claimed' &&
    data.startedAt === occurredAt &&
    runner.id === by &&
    data.taskId === taskIdOf({ type, shardingItem, source: executionSource, runner, attemptId: id });
  return isUsual
    ? {
        wiki,
        type,
        attempt,
        executionSource: executionSource === USUAL_SOURCE ? undefined : executionSource,
        shardingItem: shardingItem === USUAL_ITEM ? undefined : shardingItem,
        dueAt,
        runner: withoutId(runner),
        originalTaskId: data.originalTaskId,
        isRoot: data.isRoot,
      }
    : undefined;
};

const succeeded = (data: Data<'AttemptSucceeded'>, { occurredAt }: Metadata): object | undefined => {
  const { wiki, type, attempt, taskId, shardingItem, executionSource, dueAt, startedAt } = data;
  return data.from === 'Running' && data.completedAt === occurredAt
    ? {
        wiki,
        type,
        attempt,
        taskId,
        executionSource: executionSource === USUAL_SOURCE ? undefined : executionSource,
        shardingItem: shardingItem === USUAL_ITEM ? undefined : shardingItem,
        dueAt,
        startedAt,
        durationMs: data.durationMs,
        begunRevision: data.begunRevision,
        originalTaskId: data.originalTaskId,
        isRoot: data.isRoot,
        number: data.number,
        sha1: data.sha1,
        rootTimestamp: data.rootTimestamp,
        result: data.result,
        spawned: data.spawned,
      }
    : undefined;
};

const BriefRunner = t.type({ host: t.string, ip: t.string, instance: t.string });
const BriefClaimed = t.type({ runner: BriefRunner });
const BriefStarted = t.intersection([
  t.type({ type: t.string, runner: BriefRunner }),
  t.partial({ shardingItem: t.number, executionSource: ExecutionSource }),
]);

/** Of data that were kept brief. What is not as it should be stays so, for the event's codec to refuse. */
export const wholeData = (type: string, id: string, { by, occurredAt }: Metadata, data: unknown): unknown => {
  switch (type) {
    case 'JobEnqueued':
      return wholeEnqueued(data, occurredAt);
    case 'JobClaimed': {
      if (!BriefClaimed.is(data)) return data;
      const runner = { id: by, ...data.runner };
      return { from: 'Waiting', token: tokenOf(id), claimedAt: occurredAt, ...data, runner };
    }
    case 'AttemptStarted': {
      if (!BriefStarted.is(data)) return data;
      const { shardingItem = USUAL_ITEM, executionSource = USUAL_SOURCE } = data;
      const runner = { id: by, ...data.runner };
      const taskId = taskIdOf({
        type: data.type,
        shardingItem,
        source: executionSource,
        runner,
        attemptId: id,
      });
      const startedAt = occurredAt;
      return { from: 'Claimed', startedAt, ...data, taskId, shardingItem, executionSource, runner };
    }
    case 'AttemptSucceeded': {
      if (!t.UnknownRecord.is(data)) return data;
      const usual = { shardingItem: USUAL_ITEM, executionSource: USUAL_SOURCE };
      return { from: 'Running', completedAt: occurredAt, ...usual, ...data };
    }
    default:
      return data;
  }
};

/** Data as every reader of the port sees them. */
export const readData = (type: string, id: string, read: ReadMetadata, kept: unknown): unknown =>
  read.isBrief ? wholeData(type, id, read.metadata, kept) : kept;

/**
 * An event that another ledger has written, to be kept here as it was kept there: with its typed event where the brief data give back
 * the whole to the letter. What they would lose, such as a member that this version does not know, keeps it whole.
 */
export const asKept = (read: NewEvent): NewEvent => {
  if (!BRIEF.some((type) => type === read.type)) return read;
  const event = decodeEvent(read);
  if (isLeft(event)) return read;
  const typed: NewEvent = { ...read, event: event.right };
  const brief = briefData(typed);
  if (brief === undefined) return read;
  const whole = wholeData(read.type, read.id, read.metadata, JSON.parse(JSON.stringify(brief)));
  return JSON.stringify(whole) === JSON.stringify(read.data) ? typed : read;
};
