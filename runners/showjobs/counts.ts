/** What MediaWiki's showJobs counts of each type, over all wikis or one. */
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { StoreError } from '../../domain/errors.js';
import type { Ledger } from '../ledger.js';
import type { QueueFilter, SizedQueue } from '../../projections/reading-desk.js';
import { inMediaWikisOrder } from './job-types.js';

export interface TypeCounts {
  readonly type: string;
  readonly queued: number;
  /** Those that run, and those that are abandoned: MediaWiki counts both by their token. */
  readonly claimed: number;
  readonly active: number;
  readonly abandoned: number;
  readonly delayed: number;
}

const none = { queued: 0, claimed: 0, active: 0, abandoned: 0, delayed: 0 };

const plus = (counts: TypeCounts, { ready, claimed, abandoned, delayed }: SizedQueue): TypeCounts => ({
  type: counts.type,
  queued: counts.queued + ready,
  claimed: counts.claimed + claimed + abandoned,
  active: counts.active + claimed,
  abandoned: counts.abandoned + abandoned,
  delayed: counts.delayed + delayed,
});

const gathered = (queues: readonly SizedQueue[]): readonly TypeCounts[] => {
  const byType = new Map<string, TypeCounts>();
  for (const queue of queues) {
    const { type } = queue;
    byType.set(type, plus(byType.get(type) ?? { type, ...none }, queue));
  }
  return inMediaWikisOrder(byType.keys()).flatMap((type) => {
    const counts = byType.get(type);
    return counts === undefined ? [] : [counts];
  });
};

/** Types in MediaWiki's order, those without any job too. */
export const typeCounts = (
  ledger: Pick<Ledger, 'reading'>,
  filter: QueueFilter,
): TE.TaskEither<StoreError, readonly TypeCounts[]> => TE.map(gathered)(ledger.reading.queueSizes(filter));

export const groupLine = ({ type, queued, claimed, active, abandoned, delayed }: TypeCounts): string =>
  `${type}: ${queued} queued; ${claimed} claimed (${active} active, ${abandoned} abandoned); ${delayed} delayed`;

export const hasAny = ({ queued, claimed, delayed }: TypeCounts): boolean => queued + claimed + delayed > 0;
