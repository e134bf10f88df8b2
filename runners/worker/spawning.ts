/** Children of an attempt: taken as they are when they are spawned, under ids that follow from the attempt's, so that each exists once. */
import * as E from 'fp-ts/lib/Either.js';
import { derivedId } from '../../adapters/system.js';
import { checkSpecification, type JobSpecification } from '../../domain/job/specification.js';
import { attemptIdOf } from '../../domain/job/task-id.js';
import { sentenceOf } from '../library/error-sentences.js';
import type { JsonObject } from '../../domain/json.js';

export interface Children {
  readonly spawn: (specification: JobSpecification) => void;
  readonly soFar: () => readonly JsonObject[];
}

/** They travel in the event of the success; UTF-8 takes up to three bytes a character, and an event holds 40 MiB. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

export const childrenOf = (taskId: string): Children => {
  const children: JsonObject[] = [];
  let characters = 0;
  return {
    spawn: (specification) => {
      const checked = checkSpecification(specification);
      if (E.isLeft(checked)) throw new TypeError(`spawn: ${sentenceOf(checked.left)}`);
      const jobId = specification.jobId ?? derivedId(attemptIdOf(taskId), children.length);
      const whole = { ...specification, jobId };
      const text = JSON.stringify(whole);
      characters += text.length;
      if (characters > MOST_CHARACTERS) {
        throw new RangeError(`spawn: one attempt can spawn ${MOST_CHARACTERS} characters of JSON, not more`);
      }
      const snapshot: unknown = JSON.parse(text);
      children.push(snapshot as JsonObject);
    },
    soFar: () => [...children],
  };
};
