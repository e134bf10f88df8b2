/** What takes many jobs answers each of them; what is no list of jobs is answered once. */
import * as E from 'fp-ts/lib/Either.js';
import type * as T from 'fp-ts/lib/Task.js';
import type { JobSpecification } from '../../domain/job/specification.js';
import type { EnqueueAnswer } from '../producer/enqueueing.js';

type EnqueueEach = (specifications: readonly JobSpecification[]) => T.Task<readonly EnqueueAnswer[]>;

const NO_LIST: EnqueueAnswer = E.left({
  _tag: 'InvalidSpecification',
  path: '',
  message: 'enqueueAll takes a list of jobs, such as [{"type":"sendMail"}]',
});

export const answeringEach =
  (
    enqueue: (specifications: readonly JobSpecification[]) => Promise<readonly EnqueueAnswer[]>,
  ): EnqueueEach =>
  (specifications) =>
  () =>
    Array.isArray(specifications) ? enqueue(specifications) : Promise.resolve([NO_LIST]);
