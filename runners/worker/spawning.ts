/** Children of an attempt: specifications whose ids follow from the attempt's, so that each exists once however often it is enqueued. */
import * as E from 'fp-ts/lib/Either.js';
import { derivedId } from '../../adapters/system.js';
import { checkSpecification, type JobSpecification } from '../../domain/job/specification.js';
import { attemptIdOf } from '../../domain/job/task-id.js';
import type { JsonObject } from '../../domain/json.js';

/** Throws what is wrong with the specification into the handler that spawned it. */
export const child = (specification: JobSpecification, taskId: string, index: number): JobSpecification => {
  const jobId = specification.jobId ?? derivedId(attemptIdOf(taskId), index);
  const checked = checkSpecification({ ...specification, jobId });
  if (E.isLeft(checked)) throw new TypeError(`spawn: ${checked.left.path} ${checked.left.message}`);
  return { ...specification, jobId };
};

/** As the success's event carries it. */
export const asJson = (specification: JobSpecification): JsonObject => {
  const value: unknown = JSON.parse(JSON.stringify(specification));
  return value as JsonObject;
};
