/** Tables brought to the end of history as it is now, before a command reads them; told on standard error where it takes long. */
import * as E from 'fp-ts/lib/Either.js';
import { projectionStatus, type ProjectionStatus } from '../../adapters/postgres/projector.js';
import type { StoreError } from '../../domain/errors.js';
import type { Projection } from '../../projections/projection.js';
import type { Ledger } from '../ledger.js';
import type { Output } from '../cli/output.js';

const PATIENCE_MS = 5_000;

/** Says every few seconds how far the furthest behind is, until it is stopped. */
const watch = ({ pool, schema, store }: Ledger, projections: readonly Projection[], out: Output) => {
  const look = async (): Promise<void> => {
    const statuses = await projectionStatus(pool, schema, projections, store)();
    if (E.isLeft(statuses)) return;
    const [last] = statuses.right.toSorted((a, b) => Number(b.behind - a.behind));
    if (last !== undefined && last.behind > 0n)
      out.progress(
        `the table ${last.name} is ${last.behind} positions behind the history; it is being brought up to date …`,
      );
  };
  const timer = setInterval(() => void look(), PATIENCE_MS);
  return () => clearInterval(timer);
};

export const bringUpToDate = async (
  ledger: Ledger,
  projections: readonly Projection[],
  out: Output,
): Promise<E.Either<StoreError, readonly ProjectionStatus[]>> => {
  const stop = watch(ledger, projections, out);
  try {
    return await ledger.catchUp(projections)();
  } finally {
    stop();
  }
};

/** Why an answer read from these tables is not as of now; undefined where it is. */
export const haltsOf = (statuses: readonly ProjectionStatus[]): string | undefined => {
  const halts = statuses.flatMap(({ halt }) => (halt === undefined ? [] : [halt]));
  return halts.length === 0 ? undefined : halts.join('; ');
};
