// Whether anybody still holds what should be forgotten.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from './waiting.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Until none of them is held by anything. A reference that was asked holds its target for the rest of the turn: each look is a turn. */
export const collected = (what: string, references: readonly WeakRef<object>[]): Promise<true> =>
  until(`${what} was collected`, () => {
    collect();
    return references.every((reference) => reference.deref() === undefined);
  });
