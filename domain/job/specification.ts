/**
 * What a producer says of a job: JSON-shaped, with the names of the command line's flags. Everything is checked here, with its path,
 * before anything is written.
 */
import * as E from 'fp-ts/lib/Either.js';
import { parseInstant } from '../instant.js';
import type { JsonObject } from '../json.js';
import { unknownName } from '../nearest.js';
import { isUuid } from '../ledger.js';
import type { JobClass } from './facts.js';
import { characterFlaw, titleFlaw, typeFlaw, wikiFlaw } from './names.js';
import { checkParams } from './params.js';
import { backoffFlaw, type RetryOptions } from './retry.js';

export interface JobSpecification {
  readonly type: string;
  readonly wiki?: string;
  readonly namespace?: number;
  readonly title?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** A class, which overrides that of the job's queue, or a number within the queue's own: smaller goes first. */
  readonly priority?: JobClass | number;
  /** ISO-8601 with offset. One that has passed counts as none. */
  readonly notBefore?: string;
  readonly jobId?: string;
  readonly ignoreDuplicates?: boolean;
  readonly dedupKey?: string;
  readonly maxAttempts?: number;
  /** When failures of this job are tried again; what is missing is the default. */
  readonly backoff?: RetryOptions['backoff'];
  readonly requestId?: string;
}

/** A specification that has been checked, defaults filled in. */
export interface CheckedSpecification {
  readonly type: string;
  readonly wiki: string;
  readonly namespace: number | undefined;
  readonly title: string | undefined;
  readonly params: JsonObject;
  readonly class: JobClass;
  readonly hasOwnClass: boolean;
  readonly priority: number;
  readonly notBefore: string | undefined;
  readonly jobId: string | undefined;
  readonly ignoreDuplicates: boolean;
  readonly dedupKey: string | undefined;
  readonly maxAttempts: number | undefined;
  readonly backoff: RetryOptions['backoff'];
  readonly requestId: string | undefined;
}

export interface InvalidSpecification {
  readonly _tag: 'InvalidSpecification';
  readonly path: string;
  readonly message: string;
}

const KNOWN = [
  'type',
  'wiki',
  'namespace',
  'title',
  'params',
  'priority',
  'notBefore',
  'jobId',
  'ignoreDuplicates',
  'dedupKey',
  'maxAttempts',
  'backoff',
  'requestId',
] as const;
type Member = (typeof KNOWN)[number];

type Flaw = string | undefined;
type Check = (value: unknown) => Flaw;

const text =
  (flawOf: (value: string) => Flaw): Check =>
  (value) =>
    typeof value === 'string' ? flawOf(value) : 'is not a text';

const integer =
  (least: number, most: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `is not a whole number from ${least} to ${most}`;

/** In full: keys that differ only behind some point would otherwise be told apart here and be the same to a hash. */
const short =
  (most: number) =>
  (value: string): Flaw =>
    value === ''
      ? 'is empty'
      : value.length > most
        ? `has ${value.length} characters, at most ${most} are allowed`
        : characterFlaw(value);

const INT4 = 2_147_483_647;
const MAX_PRIORITY = 1_000_000;

const checks: Readonly<Record<Exclude<Member, 'params' | 'backoff'>, Check>> = {
  type: text(typeFlaw),
  wiki: text(wikiFlaw),
  namespace: integer(-INT4, INT4),
  title: text(titleFlaw),
  priority: (value) =>
    value === 'high' || value === 'normal' || value === 'low'
      ? undefined
      : integer(-MAX_PRIORITY, MAX_PRIORITY)(value) === undefined
        ? undefined
        : `is neither high, normal, low nor a whole number from ${-MAX_PRIORITY} to ${MAX_PRIORITY}`,
  notBefore: text((value) =>
    E.foldW(
      (flaw: string) => flaw,
      () => undefined,
    )(parseInstant(value)),
  ),
  jobId: text((value) =>
    isUuid(value.toLowerCase()) ? undefined : 'is not a UUID, such as 0198c7a2-7d3e-7c1a-9f4e-2b5d8a6c1e00',
  ),
  ignoreDuplicates: (value) => (typeof value === 'boolean' ? undefined : 'is neither true nor false'),
  dedupKey: text(short(1_000)),
  maxAttempts: integer(1, 1_000),
  requestId: text(short(200)),
};

const memberChecks = Object.entries(checks);
const known: ReadonlySet<string> = new Set(KNOWN);

const invalid = (path: string, message: string): InvalidSpecification => ({
  _tag: 'InvalidSpecification',
  path,
  message,
});

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The checked specification, or its first flaw. Members that are undefined count as missing. */
export const checkSpecification = (value: unknown): E.Either<InvalidSpecification, CheckedSpecification> => {
  if (!isRecord(value)) return E.left(invalid('', 'a job is a JSON object such as {"type":"sendMail"}'));
  const stranger = Object.keys(value).find((key) => !known.has(key));
  if (stranger !== undefined) return E.left(invalid(stranger, unknownName('member', stranger, KNOWN)));
  if (value['type'] === undefined) return E.left(invalid('type', 'is missing'));
  for (const [member, check] of memberChecks) {
    const flaw = value[member] === undefined ? undefined : check(value[member]);
    if (flaw !== undefined) return E.left(invalid(member, flaw));
  }
  const backoff = value['backoff'] === undefined ? undefined : backoffFlaw(value['backoff'], 'it');
  if (backoff !== undefined) return E.left(invalid('backoff', backoff));
  const params = checkParams(value['params'] ?? {});
  if (E.isLeft(params)) return E.left(invalid(params.left.path, params.left.message));
  return E.right(checked(value as unknown as JobSpecification, params.right));
};

const checked = (specification: JobSpecification, params: JsonObject): CheckedSpecification => {
  const { type, wiki = 'default', namespace, title, priority = 0, notBefore, jobId } = specification;
  return {
    type,
    wiki,
    namespace,
    title,
    params,
    class: typeof priority === 'number' ? 'normal' : priority,
    hasOwnClass: priority === 'normal',
    priority: typeof priority === 'number' ? priority : 0,
    notBefore: notBefore === undefined ? undefined : E.getOrElse(() => notBefore)(parseInstant(notBefore)),
    jobId: jobId?.toLowerCase(),
    ignoreDuplicates: specification.ignoreDuplicates ?? false,
    dedupKey: specification.dedupKey,
    maxAttempts: specification.maxAttempts,
    backoff: specification.backoff,
    requestId: specification.requestId,
  };
};
