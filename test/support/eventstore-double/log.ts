// The history of the protocol double: one log, streams in it, and a real server's rules of appending (IndexWriter.CheckCommit).
export interface LogRecord {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /** 100 ns ticks since 1970. */
  readonly created: bigint;
}

export type Proposed = Pick<LogRecord, 'id' | 'type' | 'isJson' | 'data' | 'metadata'>;
export type Expected = 'any' | 'no-stream' | 'stream-exists' | bigint;

export type Outcome =
  | {
      readonly _tag: 'Written' | 'Repeated';
      readonly revision: bigint;
      readonly position: bigint | undefined;
    }
  | { readonly _tag: 'WrongExpectedVersion'; readonly current: bigint | undefined }
  | { readonly _tag: 'TooLarge' };

export interface EventLog {
  readonly append: (stream: string, expected: Expected, events: readonly Proposed[]) => Outcome;
  /** What the server writes for itself, and other programs on the same server. */
  readonly records: readonly LogRecord[];
  /** The visible events of a stream; undefined where it does not exist or is deleted. */
  readonly stream: (name: string) => readonly LogRecord[] | undefined;
  /** Index in `records` of the first record behind a position. */
  readonly indexBehind: (position: bigint) => number;
  readonly onAppended: (listener: () => void) => () => void;
  /** The soft deletion: a metadata event that hides what there is. Its position; undefined where the stream is not as expected. */
  readonly remove: (stream: string, expected: Expected) => bigint | undefined;
  /** Takes what is hidden out of the log, as far as this position. */
  readonly scavenge: (upTo?: bigint) => void;
  readonly scavenges: () => number;
}

export const DELETED_FROM = 9_223_372_036_854_775_807n;
const MAX_APPEND_SIZE = 1_048_576;
const RECORD_OVERHEAD = 96;
const TICKS_PER_MILLISECOND = 10_000n;

const sizeOf = ({ data, metadata, type }: Proposed): number =>
  data.length + metadata.length + 2 * type.length;

/** `$tb` of the last metadata event of a stream: what lies before it is hidden. */
const truncatedBefore = (metadata: readonly LogRecord[]): bigint => {
  const last = metadata.at(-1);
  if (last === undefined) return 0n;
  const found = /"\$tb"\s*:\s*(\d+)/.exec(Buffer.from(last.data).toString('utf8'))?.[1];
  return BigInt(found ?? 0);
};

const newBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'));

export const eventLog = (firstPosition: bigint, maxAppendSize = MAX_APPEND_SIZE): EventLog => {
  const records: LogRecord[] = [];
  const streams = new Map<string, LogRecord[]>();
  const listeners = new Set<() => void>();
  let offset = firstPosition;
  let scavenges = 0;

  const eventsOf = (stream: string): LogRecord[] => streams.get(stream) ?? [];
  const hiddenBefore = (stream: string): bigint => truncatedBefore(eventsOf(`$$${stream}`));
  const isDeleted = (stream: string): boolean => hiddenBefore(stream) === DELETED_FROM;

  const write = (stream: string, events: readonly Proposed[]): LogRecord | undefined => {
    const standing = eventsOf(stream);
    streams.set(stream, standing);
    for (const event of events) {
      const created = BigInt(Date.now()) * TICKS_PER_MILLISECOND;
      const record = { ...event, stream, revision: BigInt(standing.length), position: offset, created };
      standing.push(record);
      records.push(record);
      offset += BigInt(RECORD_OVERHEAD + sizeOf(event));
    }
    return standing.at(-1);
  };

  const undelete = (stream: string): void => {
    const data = newBytes(JSON.stringify({ $tb: eventsOf(stream).length }));
    const id = crypto.randomUUID();
    write(`$$${stream}`, [{ id, type: '$metadata', isJson: true, data, metadata: new Uint8Array() }]);
  };

  const written = (stream: string, events: readonly Proposed[]): Outcome => {
    if (isDeleted(stream)) undelete(stream);
    const last = write(stream, events);
    for (const listener of listeners) listener();
    return { _tag: 'Written', revision: last?.revision ?? -1n, position: last?.position };
  };

  const repeated = (stream: string, first: bigint, events: readonly Proposed[]): Outcome => {
    const standing = eventsOf(stream);
    const there = events.map((_, index) => standing[Number(first) + index]);
    const isSame = there.length > 0 && there.every((record, index) => record?.id === events[index]?.id);
    const last = there.at(-1);
    return isSame && last !== undefined
      ? { _tag: 'Repeated', revision: last.revision, position: last.position }
      : { _tag: 'WrongExpectedVersion', current: standing.at(-1)?.revision };
  };

  const lastOf = (stream: string): bigint | undefined => eventsOf(stream).at(-1)?.revision;

  const hide = (stream: string): bigint | undefined => {
    const data = newBytes(`{"$tb":${DELETED_FROM}}`);
    const id = crypto.randomUUID();
    const metadata = new Uint8Array();
    const last = write(`$$${stream}`, [{ id, type: '$metadata', isJson: true, data, metadata }]);
    for (const listener of listeners) listener();
    return last?.position;
  };

  return {
    records,
    remove: (stream, expected) => {
      const current = lastOf(stream);
      const isAsExpected =
        expected === 'any' || expected === 'stream-exists'
          ? current !== undefined
          : expected === 'no-stream'
            ? current === undefined
            : expected === current;
      return isAsExpected ? hide(stream) : undefined;
    },
    scavenge: (upTo = offset) => {
      const kept = records.filter(
        ({ stream, revision, position }) => position > upTo || revision >= hiddenBefore(stream),
      );
      records.length = 0;
      for (const record of kept) records.push(record);
      scavenges += 1;
    },
    scavenges: () => scavenges,
    append: (stream, expected, events) => {
      const current = BigInt(eventsOf(stream).length) - 1n;
      if (events.reduce((sum, event) => sum + sizeOf(event), 0) > maxAppendSize) return { _tag: 'TooLarge' };
      if (expected === 'any' || expected === 'stream-exists') return written(stream, events);
      const wanted = expected === 'no-stream' ? -1n : expected;
      if (wanted === current) return written(stream, events);
      if (wanted > current) {
        return { _tag: 'WrongExpectedVersion', current: current < 0n ? undefined : current };
      }
      const outcome = repeated(stream, wanted + 1n, events);
      const isNew = outcome._tag === 'WrongExpectedVersion' && expected === 'no-stream' && isDeleted(stream);
      return isNew ? written(stream, events) : outcome;
    },
    stream: (name) => {
      const standing = streams.get(name);
      if (standing === undefined || isDeleted(name)) return undefined;
      const from = hiddenBefore(name);
      return from === 0n ? standing : standing.filter(({ revision }) => revision >= from);
    },
    indexBehind: (position) => {
      let [low, high] = [0, records.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((records[middle]?.position ?? 0n) > position) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    onAppended: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
