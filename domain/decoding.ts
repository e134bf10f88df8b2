/** io-ts errors as one readable sentence that names the path. */
import type * as t from 'io-ts';

const pathOf = (error: t.ValidationError): string =>
  error.context
    .map(({ key }) => key)
    .filter((key, index) => index > 0 && key !== '' && !isBranch(error, index))
    .join('.');

/** Members of intersections and unions appear in the path under their number; a reader has no use for it. */
const isBranch = (error: t.ValidationError, index: number): boolean => {
  const parent = error.context[index - 1]?.type as { _tag?: string } | undefined;
  return parent?._tag === 'IntersectionType' || parent?._tag === 'UnionType';
};

const shown = (value: unknown): string => {
  if (value === undefined) return 'is missing';
  const text = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? typeof value);
  return `is ${text.length > 60 ? `${text.slice(0, 57)}…` : text}`;
};

export const flawOf = (error: t.ValidationError): string => {
  const path = pathOf(error);
  if (error.message !== undefined) return path === '' ? error.message : `${path}: ${error.message}`;
  const expected = error.context[error.context.length - 1]?.type.name ?? 'something else';
  return `${path === '' ? 'the value' : path} ${shown(error.value)}, expected ${expected}`;
};

export const firstFlaw = (errors: t.Errors): string => {
  const [first] = errors;
  return first === undefined ? 'not valid' : flawOf(first);
};
