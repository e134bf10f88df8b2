// A ledger in memory: the memory store with the inline tables that producers and claims look things up in.
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { memoryEventStore } from '../../adapters/memory/event-store.js';
import { decodeEvent } from '../../domain/events.js';
import { isoOf } from '../../domain/instant.js';
import type { Position, RecordedEvent } from '../../domain/ledger.js';
import type { EventStore } from '../../domain/ports.js';
import { duplicate } from '../../projections/duplicate.js';
import type { DedupKey, Family, JobIndex } from '../../projections/ports.js';
import { rootJob, type RootState } from '../../projections/root-job.js';
import type { Row } from '../../projections/row-change.js';
import { suppressedJob } from '../../projections/suppressed-job.js';
import { applyNet, type Tables } from './given-rows.js';
import { foldChanges } from '../../projections/row-change.js';

export interface MemoryLedger {
  readonly store: EventStore;
  readonly index: JobIndex;
  /** Every event, in order. */
  readonly history: () => readonly RecordedEvent[];
}

const kept = [duplicate, rootJob, suppressedJob];

const text = (value: Row[string] | undefined): string => String(value ?? '');

const descending = (one: string, other: string): number => (one < other ? 1 : one > other ? -1 : 0);

/** @param now milliseconds, the ledger's clock */
export const memoryLedger = (now: () => number): MemoryLedger => {
  const history: RecordedEvent[] = [];
  const positions = new Map<string, Position>();
  const tables: Tables = new Map();
  let number = 0n;

  const onAppended = (events: readonly RecordedEvent[]): void => {
    for (const recorded of events) {
      history.push(recorded);
      positions.set(`${recorded.stream} ${recorded.revision}`, recorded.position);
      const event = decodeEvent(recorded);
      if (E.isLeft(event)) throw new Error(event.left);
      const at = { ...recorded, event: event.right };
      applyNet(tables, foldChanges(kept.flatMap(({ project }) => project(at))));
    }
  };

  const rowsOf = (table: string): readonly Row[] => [...(tables.get(table)?.values() ?? [])];

  const equals = ({ wiki, type, sha1 }: DedupKey): readonly Row[] =>
    rowsOf('duplicate').filter((row) => row['wiki'] === wiki && row['type'] === type && row['sha1'] === sha1);

  const survivors = (key: DedupKey): readonly string[] =>
    equals(key)
      .filter((row) => row['is_survivor'] === true)
      .toSorted((a, b) => Number(a['number']) - Number(b['number']))
      .slice(0, 5)
      .map((row) => text(row['job']));

  const executed = (key: DedupKey) => {
    const succeeded = equals(key).flatMap((row) => {
      const position = positions.get(`job-${text(row['job'])} ${text(row['begun_revision'])}`);
      const stamp = row['root_timestamp'];
      return row['begun_revision'] === null || position === undefined
        ? []
        : [{ jobId: text(row['job']), position, rootTimestamp: stamp === null ? undefined : text(stamp) }];
    });
    return succeeded.toSorted((a, b) => Number(b.position - a.position))[0];
  };

  const roots = ({ wiki, type, signature }: Family) =>
    rowsOf('root_job')
      .filter((row) => row['wiki'] === wiki && row['type'] === type && row['signature'] === signature)
      .map((row) => ({
        jobId: text(row['job']),
        timestamp: text(row['timestamp']),
        state: text(row['state']) as RootState,
      }))
      .toSorted((a, b) => descending(a.timestamp, b.timestamp));

  const answering =
    <Q, A>(answer: (question: Q) => A) =>
    (questions: readonly Q[]) =>
      TE.fromIO(() => questions.map(answer));

  return {
    store: memoryEventStore({ now: () => isoOf(now()), onAppended }),
    index: {
      survivors: answering(survivors),
      executedEquals: answering(executed),
      newestRoots: answering((family) => roots(family).slice(0, 5)),
      newestBegun: answering((family) => roots(family).find(({ state }) => state !== 'waiting')?.timestamp),
      quietUntil: answering((position) => {
        const begun = history.find((event) => event.position > position && event.type === 'AttemptStarted');
        return begun?.position ?? BigInt(Number.MAX_SAFE_INTEGER);
      }),
      suppressedIds: answering((jobId) => {
        const row = rowsOf('suppressed_job').find(({ job }) => job === jobId);
        return row === undefined ? undefined : text(row['survivor']);
      }),
      spentIds: () => TE.right(new Set()),
      drawNumbers: (count) => TE.fromIO(() => Array.from({ length: count }, () => (number += 1n))),
      now: () => TE.fromIO(() => isoOf(now())),
    },
    history: () => history,
  };
};
