/** Codecs for the columns of a dumped row: bytes, null, or undefined where the layout does not have the column. */
import { isUtf8 } from 'node:buffer';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

export type ColumnCodec<A> = t.Type<A, A, unknown>;
/** Gives the value or, as left, what is wrong with it. */
type ReadColumn<A> = (bytes: Buffer) => E.Either<string, A>;

export const column = <A>(is: t.Is<A>, read: ReadColumn<A>): ColumnCodec<A> =>
  new t.Type(
    'column',
    is,
    (value, context) => {
      if (!Buffer.isBuffer(value))
        return t.failure(value, context, value === null ? 'is NULL' : 'is missing');
      const result = read(value);
      return E.isLeft(result) ? t.failure(value, context, result.left) : t.success(result.right);
    },
    t.identity,
  );

export const orDefault = <A>(codec: ColumnCodec<A>, value: A): ColumnCodec<A> =>
  new t.Type(
    codec.name,
    codec.is,
    (input, context) => (input === undefined ? t.success(value) : codec.validate(input, context)),
    t.identity,
  );

export const nullable = <A>(codec: ColumnCodec<A>): ColumnCodec<A | null> =>
  new t.Type<A | null, A | null, unknown>(
    codec.name,
    (value): value is A | null => value === null || codec.is(value),
    (input, context) => (input === null ? t.success(null) : codec.validate(input, context)),
    t.identity,
  );

export const readText =
  (longest: number): ReadColumn<string> =>
  (bytes) => {
    if (bytes.length > longest) return E.left(`has ${bytes.length} bytes, more than ${longest}`);
    if (!isUtf8(bytes)) return E.left('is not UTF-8');
    return bytes.includes(0) ? E.left('holds a NUL byte') : E.right(bytes.toString());
  };

const INTEGER = /^-?[0-9]{1,19}$/;

export const readInteger =
  (lowest: bigint, highest: bigint): ReadColumn<bigint> =>
  (bytes) => {
    const digits = bytes.toString('latin1', 0, 21);
    if (!INTEGER.test(digits)) return E.left('is not an integer');
    const value = BigInt(digits);
    return value < lowest || value > highest
      ? E.left(`is not within ${lowest} and ${highest}`)
      : E.right(value);
  };
