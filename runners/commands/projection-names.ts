/** Names of projections as arguments: those given, or all. */
import * as E from 'fp-ts/lib/Either.js';
import { unknownName } from '../../domain/nearest.js';
import { projectionNamed, projections } from '../../projections/index.js';
import type { Projection } from '../../projections/projection.js';

export const NAMES = '[name...]';
export const NAMES_WORDS = `which (default: all): ${projections.map(({ name }) => name).join(', ')}`;

export const projectionsNamed = (names: readonly string[]): E.Either<string, readonly Projection[]> => {
  const stranger = names.find((name) => projectionNamed(name) === undefined);
  if (stranger !== undefined) {
    const known = projections.map(({ name }) => name);
    return E.left(`${unknownName('projection', stranger, known)}; there are ${known.join(', ')}`);
  }
  const wanted = new Set(names.map(projectionNamed));
  return E.right(names.length === 0 ? projections : projections.filter((each) => wanted.has(each)));
};
