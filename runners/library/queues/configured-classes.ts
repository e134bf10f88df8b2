/** For which queues somebody has configured a class: that goes before their types' own. */
import * as E from 'fp-ts/lib/Either.js';
import type * as T from 'fp-ts/lib/Task.js';
import { covers, type QueueName, type Scope } from '../../../domain/queue/scope.js';
import type { Ledger as Site } from '../../ledger.js';

export type IsClassed = (queue: QueueName) => boolean;

/** As long as runners may take to follow. */
const FRESH_MS = 1_000;

export const configuredClasses = ({ queueBook }: Pick<Site, 'queueBook'>): T.Task<IsClassed> => {
  let scopes: readonly Scope[] = [];
  let readAt = -Infinity;
  return async () => {
    if (performance.now() - readAt > FRESH_MS) {
      const decisions = await queueBook.decisions()();
      // What was known last holds on: a store that does not answer refuses the push itself.
      if (E.isRight(decisions)) {
        scopes = decisions.right.settings
          .filter(({ settings }) => settings.class !== undefined)
          .map(({ scope }) => scope);
        readAt = performance.now();
      }
    }
    return (queue) => scopes.some((scope) => covers(scope, queue));
  };
};
