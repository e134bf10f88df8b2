/** What a program may enqueue in a transaction of its own, on its own `pg` client. */
import * as E from 'fp-ts/lib/Either.js';
import type * as T from 'fp-ts/lib/Task.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type pg from 'pg';
import { rejected } from '../../domain/errors.js';
import type { JobSpecification } from '../../domain/job/specification.js';
import type { Ledger as Site } from '../ledger.js';
import type { EnqueueAnswer, EnqueueError, EnqueueOutcome } from '../producer/enqueueing.js';
import { answeringEach } from './answering-each.js';
import { promised, type PromisedApi } from './promised.js';
import { insist } from './request.js';

interface Enqueueing {
  /**
   * `enqueued` means: the job is there when the transaction commits. Nothing is suppressed; a job id of your own makes a repetition harmless.
   * Of two open transactions with one id each is answered so, since neither can see the other: the job is that of the first to commit, and
   * the second is told by a NOTICE on its client.
   */
  readonly enqueue: (specification: JobSpecification) => TE.TaskEither<EnqueueError, EnqueueOutcome>;
}

export interface OnClient extends Enqueueing {
  /** Many jobs: an answer each, in their order. */
  readonly enqueueAll: (specifications: readonly JobSpecification[]) => T.Task<readonly EnqueueAnswer[]>;
  /** To be called behind the commit: waiting runners look at once. Without it they look within their poll (1 s). */
  readonly committed: () => void;
  readonly promises: PromisedApi<Enqueueing>;
}

const clientFlaw = (client: unknown): string | undefined => {
  if (typeof client !== 'object' || client === null || typeof Reflect.get(client, 'query') !== 'function')
    return 'onClient: this is no client of node-postgres; give it the one on which your transaction is open';
  return 'totalCount' in client
    ? 'onClient: this is a pool, whose statements share no transaction; give it the client on which yours is open'
    : undefined;
};

export const onClient = (site: Site, client: pg.ClientBase): OnClient => {
  insist(clientFlaw(client));
  const api: Enqueueing = {
    enqueue: (specification) => async () => {
      const [answer] = await site.enqueueOn(client, [specification]);
      return answer ?? E.left(rejected('the enqueue was not answered'));
    },
  };
  return {
    ...api,
    enqueueAll: answeringEach((specifications) => site.enqueueOn(client, specifications)),
    committed: site.store.wake,
    promises: promised(api),
  };
};
