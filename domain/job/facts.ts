/** Facts that several job events share. Instants are ISO-8601 texts in UTC with milliseconds; durations are milliseconds. */
import * as t from 'io-ts';

export const JobClass = t.keyof({ high: null, normal: null, low: null });
export type JobClass = t.TypeOf<typeof JobClass>;

/** Classes are strict: a smaller rank goes first. */
export const classRank = (jobClass: JobClass): number => ({ high: 0, normal: 1, low: 2 })[jobClass];

/** A job that was given no class is of its queue's, whatever that is when it is picked; `normal` is what stands there meanwhile. */
export interface Classed {
  readonly class: JobClass;
  /** The job was given the normal class in so many words. */
  readonly hasOwnClass?: boolean | undefined;
}

/** Stands in the place of a rank for jobs of their queue's class. */
export const OF_ITS_QUEUE = 3;

export const ownRank = ({ class: jobClass, hasOwnClass }: Classed): number =>
  jobClass === 'normal' && hasOwnClass !== true ? OF_ITS_QUEUE : classRank(jobClass);

/** A survivor's class behind an enqueue that it answered for. */
export const inheritedClass = (
  inherited: Partial<Classed>,
  job: Classed,
): { readonly class: JobClass; readonly hasOwnClass: boolean } =>
  inherited.class === undefined
    ? { class: job.class, hasOwnClass: job.hasOwnClass === true }
    : { class: inherited.class, hasOwnClass: inherited.hasOwnClass === true };

export const ActiveState = t.keyof({
  Waiting: null,
  Claimed: null,
  Running: null,
  Abandoned: null,
  Cancelled: null,
});
export type ActiveState = t.TypeOf<typeof ActiveState>;

export const Runner = t.type({ id: t.string, host: t.string, ip: t.string, instance: t.string });
export type Runner = t.TypeOf<typeof Runner>;

export const Root = t.type({ signature: t.string, timestamp: t.string, isSelf: t.boolean });
export type Root = t.TypeOf<typeof Root>;

export const Dedup = t.type({ ignoreDuplicates: t.boolean, sha1: t.string });
export type Dedup = t.TypeOf<typeof Dedup>;

export const Backoff = t.type({
  kind: t.keyof({ fixed: null, exponential: null }),
  firstMs: t.number,
  capMs: t.number,
  /** Share of the delay by which it may differ, 0 … 1. */
  jitter: t.number,
});
export const RetryPolicy = t.type({ maxAttempts: t.number, backoff: Backoff });
export type RetryPolicy = t.TypeOf<typeof RetryPolicy>;

export const ExecutionSource = t.keyof({ NORMAL_TRIGGER: null, MISFIRE: null, FAILOVER: null });
export type ExecutionSource = t.TypeOf<typeof ExecutionSource>;

/** What a failed attempt left behind, made storable and bounded (see error-facts.ts). */
export interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly causes?: readonly ErrorFacts[];
}
export const ErrorFacts: t.Type<ErrorFacts> = t.recursion('ErrorFacts', () =>
  t.intersection([
    t.type({ name: t.string, message: t.string }),
    t.partial({ stack: t.string, causes: t.readonlyArray(ErrorFacts) }),
  ]),
);

/** ElasticJob's names of an attempt; `originalTaskId` is missing where this attempt is the job's first. */
export const Task = t.intersection([t.type({ taskId: t.string }), t.partial({ originalTaskId: t.string })]);
export type Task = t.TypeOf<typeof Task>;

/** Where a job stands in its queue: what puts it back into the tables that the pick and the survivors are read from. */
export const Placement = t.intersection([
  t.type({ number: t.string, class: JobClass, priority: t.number, enqueuedRevision: t.string }),
  t.partial({ dedup: Dedup, root: Root, hasOwnClass: t.literal(true) }),
]);
export type Placement = t.TypeOf<typeof Placement>;

/** What an imported row of a MediaWiki `job` table brought, kept to the byte. */
export const Imported = t.intersection([
  t.type({
    jobId: t.string,
    random: t.number,
    attempts: t.number,
    token: t.string,
    sha1: t.string,
  }),
  t.partial({
    timestamp: t.string,
    tokenTimestamp: t.string,
    /** The row's params as text, or as base64 where a text cannot hold the bytes. */
    params: t.string,
    paramsBase64: t.string,
  }),
]);
export type Imported = t.TypeOf<typeof Imported>;
