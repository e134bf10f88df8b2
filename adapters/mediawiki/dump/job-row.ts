/** A row of MediaWiki's `job` table, of any version, checked. Columns that a layout does not have get the later default. */
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { column, nullable, orDefault, readInteger, readText } from './column-codec.js';
import { isoTimestamp } from './dump-timestamp.js';

export type Columns = Readonly<Record<string, Buffer | null | undefined>>;

const MAX_INT32 = 2n ** 31n - 1n;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_PARAMS = 16 * 1024 * 1024;

const text = (longest: number) => column(t.string.is, readText(longest));

const jobType = column(t.string.is, (bytes): E.Either<string, string> => {
  if (bytes.length === 0) return E.left('is empty');
  return bytes.includes('@-@') ? E.left('holds @-@') : readText(60)(bytes);
});

const isBigint = (value: unknown): value is bigint => typeof value === 'bigint';
const jobNumber = column(isBigint, readInteger(1n, MAX_INT64));
const integer = (lowest: bigint) =>
  column(t.number.is, (bytes) => E.map(Number)(readInteger(lowest, MAX_INT32)(bytes)));

const timestamp = column(t.string.is, (bytes): E.Either<string, string> =>
  E.fromNullable('is not a timestamp')(isoTimestamp(bytes.toString('latin1', 0, 40))),
);

const isBuffer = (value: unknown): value is Buffer => Buffer.isBuffer(value);
/** A copy, so that a row does not keep the piece of the file alive that it was read from. */
const params = column(isBuffer, (bytes): E.Either<string, Buffer> =>
  bytes.length > MAX_PARAMS
    ? E.left(`has ${bytes.length} bytes, more than ${MAX_PARAMS}`)
    : E.right(Buffer.from(bytes)),
);

const JobColumns = t.type({
  job_id: jobNumber,
  job_cmd: jobType,
  job_namespace: integer(-MAX_INT32 - 1n),
  job_title: text(255),
  job_timestamp: orDefault(nullable(timestamp), null),
  job_params: params,
  job_random: orDefault(integer(0n), 0),
  job_attempts: orDefault(integer(0n), 0),
  job_token: orDefault(text(32), ''),
  job_token_timestamp: orDefault(nullable(timestamp), null),
  job_sha1: orDefault(text(32), ''),
});

export interface JobRow extends t.TypeOf<typeof JobColumns> {
  /** The line of the dump on which the row begins. */
  readonly line: number;
}

/** The row, or what is wrong with it. */
export const jobRow = (line: number, columns: Columns): E.Either<string, JobRow> => {
  const decoded = JobColumns.decode(columns);
  if (E.isRight(decoded)) return E.right({ line, ...decoded.right });
  const faults = decoded.left.map(
    ({ context, message }) => `${context.at(-1)?.key ?? ''} ${message ?? 'is invalid'}`,
  );
  return E.left(faults.join('; '));
};

/** A table with these columns is a job table, whatever the wiki's table prefix. */
export const isJobTable = (columns: readonly string[]): boolean =>
  ['job_id', 'job_cmd', 'job_namespace', 'job_title', 'job_params'].every((name) => columns.includes(name));

const ALL_COLUMNS = [
  'job_id',
  'job_cmd',
  'job_namespace',
  'job_title',
  'job_timestamp',
  'job_params',
  'job_random',
  'job_attempts',
  'job_token',
  'job_token_timestamp',
  'job_sha1',
];
const BEFORE_1_21 = ALL_COLUMNS.slice(0, 6);
const BEFORE_1_19 = BEFORE_1_21.filter((name) => name !== 'job_timestamp');

/** MediaWiki's own layouts by their number of columns, for dumps that do not name the columns. */
export const layoutOf = (width: number): readonly string[] | undefined =>
  [ALL_COLUMNS, BEFORE_1_21, BEFORE_1_19].find((layout) => layout.length === width);

/** The row of these values, in the order of these columns. */
export const rowOfValues = (
  line: number,
  columns: readonly string[] | undefined,
  values: readonly (Buffer | null)[],
): E.Either<string, JobRow> => {
  const layout = columns ?? layoutOf(values.length);
  if (layout === undefined) return E.left(`has ${values.length} values, which is no layout of a job table`);
  if (layout.length !== values.length)
    return E.left(`has ${values.length} values for ${layout.length} columns`);
  const named: Record<string, Buffer | null | undefined> = {};
  for (const [index, name] of layout.entries()) named[name] = values[index];
  return jobRow(line, named);
};
