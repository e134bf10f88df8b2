/** An instant as an option's value. */
import { InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { parseInstant } from '../../domain/instant.js';

export const instant = (value: string): string => {
  const parsed = parseInstant(value);
  if (E.isLeft(parsed))
    throw new InvalidArgumentError(`It has to be ISO 8601 with an offset, such as 2026-11-01T01:30:00Z.`);
  return parsed.right;
};
