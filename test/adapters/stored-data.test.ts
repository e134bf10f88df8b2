// Data as the stores keep them: brief where everything is as usual, whole otherwise, and whole again for every reader.
import { expect } from 'chai';
import * as t from 'io-ts';
import { asKept, briefData, wholeData } from '../../adapters/stored-data.js';
import { metadataOfText } from '../../adapters/stored-metadata.js';
import { tokenOf } from '../../adapters/system.js';
import { decodeEvent, eventCodecs, type LedgerEvent } from '../../domain/events.js';
import type { JobEventOf } from '../../domain/job/events.js';
import { taskIdOf } from '../../domain/job/task-id.js';
import type { NewEvent } from '../../domain/ledger.js';
import { isRight } from 'fp-ts/lib/Either.js';

const ID = '01a22dcf-7a2f-7000-93d7-8a358566e54e';
const AT = '2026-03-01T04:06:02.300Z';
const runner = {
  id: '01a22dcf-79cd-7000-a10b-83f681f4d8f8',
  host: 'worker-1',
  ip: '10.0.0.7',
  instance: '4711',
};
const place = { wiki: 'enwiki', type: 'refreshLinks' };
const retry = {
  maxAttempts: 2,
  backoff: { kind: 'fixed', firstMs: 5, capMs: 5, jitter: 0 },
} as const;

const taskId = (source: 'NORMAL_TRIGGER' | 'FAILOVER', shardingItem: number): string =>
  taskIdOf({ type: place.type, shardingItem, source, runner, attemptId: ID });

/** With every member that its codec knows and that may be left out, none of them as usual. */
const enqueued: JobEventOf<'JobEnqueued'> = {
  type: 'JobEnqueued',
  data: {
    ...place,
    number: '9007199254740993',
    params: { pages: [1, null] },
    dedup: { ignoreDuplicates: true, sha1: 'kyg7x0ex41rmlj6cg407lrjjs92v0gf' },
    class: 'high',
    priority: 7,
    retry,
    leaseSeconds: 45,
    shardingItem: 4,
    enqueuedAt: AT,
    inCallersTransaction: true,
    namespace: 0,
    title: 'Main_Page',
    root: { signature: 'f00', timestamp: '20260301000000', isSelf: true },
    hasOwnClass: true,
    notBefore: '2026-03-02T00:00:00.000Z',
    ownRetry: ['maxAttempts', 'backoff'],
    schedule: { name: 'nightly', slot: '2026-03-01T00:00:00.000Z' },
    requestId: 'r-1',
  },
};
/** With every member that its codec knows. */
const claimed: JobEventOf<'JobClaimed'> = {
  type: 'JobClaimed',
  data: {
    ...place,
    from: 'Waiting',
    token: tokenOf(ID),
    claims: 3,
    claimedAt: AT,
    runner,
    leaseExpiresAt: '2026-03-01T04:06:32.300Z',
    dueAt: '2026-03-01T04:00:00.000Z',
    retry,
    ignoreDuplicates: true,
    imported: true,
    isDeduplicated: true,
  },
};
const started: JobEventOf<'AttemptStarted'> = {
  type: 'AttemptStarted',
  data: {
    ...place,
    from: 'Claimed',
    attempt: 2,
    taskId: taskId('FAILOVER', 4),
    executionSource: 'FAILOVER',
    shardingItem: 4,
    dueAt: '2026-03-01T04:00:00.000Z',
    startedAt: AT,
    runner,
    originalTaskId: 'the first',
    isRoot: true,
  },
};
const succeeded: JobEventOf<'AttemptSucceeded'> = {
  type: 'AttemptSucceeded',
  data: {
    ...place,
    from: 'Running',
    attempt: 2,
    taskId: 'as it was begun',
    executionSource: 'MISFIRE',
    shardingItem: 4,
    dueAt: '2026-03-01T04:00:00.000Z',
    startedAt: '2026-03-01T04:06:01.000Z',
    completedAt: AT,
    durationMs: 0.459,
    begunRevision: '9007199254740995',
    originalTaskId: 'the first',
    isRoot: true,
    number: '9007199254740993',
    sha1: 'kyg7x0ex41rmlj6cg407lrjjs92v0gf',
    rootTimestamp: '20260301000000',
    result: { pages: [1, null] },
    spawned: [{ type: 'child' }],
  },
};

const metadata = { schemaVersion: 1, correlationId: ID, causationId: ID, by: runner.id, occurredAt: AT };
const newEvent = (event: LedgerEvent): NewEvent => ({
  id: ID,
  type: event.type,
  data: event.data,
  event,
  metadata,
});

/** What a reader gets of what is kept. */
const reread = (event: LedgerEvent): unknown => {
  const kept: unknown = JSON.parse(JSON.stringify(briefData(newEvent(event))));
  return wholeData(event.type, ID, metadata, kept);
};

const membersOf = (codec: unknown): readonly string[] => {
  if (codec instanceof t.IntersectionType) return codec.types.flatMap(membersOf);
  return codec instanceof t.InterfaceType || codec instanceof t.PartialType ? Object.keys(codec.props) : [];
};

describe('data that are kept brief', () => {
  const usual: readonly LedgerEvent[] = [
    {
      type: 'JobEnqueued',
      data: {
        ...place,
        number: '1',
        params: {},
        dedup: enqueued.data.dedup,
        class: 'normal',
        priority: 0,
        retry: {
          maxAttempts: 5,
          backoff: { kind: 'exponential', firstMs: 1_000, capMs: 3_600_000, jitter: 0.2 },
        },
        leaseSeconds: 30,
        shardingItem: 0,
        enqueuedAt: AT,
        inCallersTransaction: false,
      },
    },
    {
      type: 'JobClaimed',
      data: {
        ...place,
        from: 'Waiting',
        token: tokenOf(ID),
        claims: 1,
        claimedAt: AT,
        runner,
        leaseExpiresAt: AT,
      },
    },
    {
      type: 'AttemptStarted',
      data: {
        ...place,
        from: 'Claimed',
        attempt: 1,
        taskId: taskId('NORMAL_TRIGGER', 0),
        executionSource: 'NORMAL_TRIGGER',
        shardingItem: 0,
        dueAt: AT,
        startedAt: AT,
        runner,
      },
    },
    {
      type: 'AttemptSucceeded',
      data: {
        ...place,
        from: 'Running',
        attempt: 1,
        taskId: taskId('NORMAL_TRIGGER', 0),
        executionSource: 'NORMAL_TRIGGER',
        shardingItem: 0,
        dueAt: AT,
        startedAt: AT,
        completedAt: AT,
        durationMs: 1,
        begunRevision: '2',
      },
    },
  ];

  for (const event of [enqueued, claimed, started, succeeded]) {
    it(`are of examples with every member there is: ${event.type}`, () => {
      const members = membersOf(eventCodecs[event.type]).filter(
        // An imported job's event is kept whole.
        (member) => event.type !== 'JobEnqueued' || member !== 'imported',
      );
      expect(Object.keys(event.data)).to.have.members(members);
    });

    it(`are whole again for a reader, whatever members they have: ${event.type}`, () => {
      expect(reread(event)).to.deep.equal(event.data);
    });
  }

  for (const event of usual) {
    it(`are whole again for a reader where nothing is out of the ordinary: ${event.type}`, () => {
      expect(reread(event)).to.deep.equal(event.data);
      const bytes = JSON.stringify(briefData(newEvent(event))).length;
      expect(bytes / JSON.stringify(event.data).length).to.be.below(0.75);
    });
  }

  // As they stand in ledgers: what is made of them must not change, whatever becomes of the functions that wrote them.
  const rows = [
    {
      type: 'JobEnqueued',
      data: '{"wiki":"enwiki","type":"refreshLinks","number":"9007199254740993","params":{"pages":[1,null]},"dedup":{"ignoreDuplicates":true,"sha1":"kyg7x0ex41rmlj6cg407lrjjs92v0gf"},"title":"Main_Page"}',
      whole: {
        number: '9007199254740993',
        params: { pages: [1, null] },
        dedup: { ignoreDuplicates: true, sha1: 'kyg7x0ex41rmlj6cg407lrjjs92v0gf' },
        class: 'normal',
        priority: 0,
        retry: {
          maxAttempts: 5,
          backoff: { kind: 'exponential', firstMs: 1000, capMs: 3600000, jitter: 0.2 },
        },
        leaseSeconds: 30,
        shardingItem: 0,
        enqueuedAt: AT,
        inCallersTransaction: false,
        title: 'Main_Page',
      },
    },
    {
      type: 'JobClaimed',
      data: '{"wiki":"enwiki","type":"refreshLinks","claims":1,"runner":{"host":"worker-1","ip":"10.0.0.7","instance":"4711"},"leaseExpiresAt":"2026-03-01T04:06:32.300Z"}',
      whole: {
        from: 'Waiting',
        token: '01a22dcf7a2f700093d78a358566e54e',
        claims: 1,
        claimedAt: AT,
        runner,
        leaseExpiresAt: '2026-03-01T04:06:32.300Z',
      },
    },
    {
      type: 'AttemptStarted',
      data: '{"wiki":"enwiki","type":"refreshLinks","attempt":1,"dueAt":"2026-03-01T04:00:00.000Z","runner":{"host":"worker-1","ip":"10.0.0.7","instance":"4711"}}',
      whole: {
        from: 'Claimed',
        attempt: 1,
        taskId: 'refreshLinks@-@0@-@NORMAL_TRIGGER@-@10.0.0.7@-@4711-01a22dcf-7a2f-7000-93d7-8a358566e54e',
        executionSource: 'NORMAL_TRIGGER',
        shardingItem: 0,
        dueAt: '2026-03-01T04:00:00.000Z',
        startedAt: AT,
        runner,
      },
    },
    {
      type: 'AttemptSucceeded',
      data: '{"wiki":"enwiki","type":"refreshLinks","attempt":1,"taskId":"as it was begun","dueAt":"2026-03-01T04:00:00.000Z","startedAt":"2026-03-01T04:06:01.000Z","durationMs":0.459,"begunRevision":"2"}',
      whole: {
        from: 'Running',
        attempt: 1,
        taskId: 'as it was begun',
        executionSource: 'NORMAL_TRIGGER',
        shardingItem: 0,
        dueAt: '2026-03-01T04:00:00.000Z',
        startedAt: '2026-03-01T04:06:01.000Z',
        completedAt: AT,
        durationMs: 0.459,
        begunRevision: '2',
      },
    },
  ];
  for (const { type, data, whole } of rows) {
    it(`are read as they were written once: ${type}`, () => {
      const text = `{"brief":1,"by":"${runner.id}","occurredAt":"${AT}"}`;
      const read = metadataOfText(ID, text) ?? expect.fail('no metadata');
      expect(read).to.deep.equal({ metadata, isBrief: true });
      expect(wholeData(type, ID, read.metadata, JSON.parse(data))).to.deep.equal({ ...place, ...whole });
    });
  }

  it('are not of an event whose time, claim, runner or task is not told by its id and metadata', () => {
    const imported = { jobId: '1', random: 1, attempts: 0, token: '', sha1: '' };
    const others: readonly LedgerEvent[] = [
      { ...enqueued, data: { ...enqueued.data, enqueuedAt: '2026-03-01T00:00:00.000Z' } },
      { ...enqueued, data: { ...enqueued.data, imported } },
      { ...claimed, data: { ...claimed.data, token: 'of the old table' } },
      { ...claimed, data: { ...claimed.data, claimedAt: '2026-03-01T00:00:00.000Z' } },
      { ...claimed, data: { ...claimed.data, runner: { ...runner, id: 'another' } } },
      { ...claimed, data: { ...claimed.data, from: 'Cancelled' } },
      { ...started, data: { ...started.data, taskId: 'another' } },
      { ...started, data: { ...started.data, startedAt: '2026-03-01T00:00:00.000Z' } },
      { ...started, data: { ...started.data, runner: { ...runner, id: 'another' } } },
      { ...succeeded, data: { ...succeeded.data, completedAt: '2026-03-01T00:00:00.000Z' } },
      { ...succeeded, data: { ...succeeded.data, from: 'Claimed' } },
      { type: 'JobCancelled', data: { ...place, from: 'Waiting', reason: 'enough' } },
    ];
    for (const event of others) expect(briefData(newEvent(event)), event.type).to.equal(undefined);
  });

  it('are not of an event that is known by its raw data alone', () => {
    const { event, ...raw } = newEvent(claimed);
    expect(event).to.equal(claimed);
    expect(briefData(raw)).to.equal(undefined);
  });

  it('are those of events from another ledger, where nothing of them would be lost', () => {
    for (const event of [enqueued, claimed, started, succeeded, ...usual]) {
      const { event: _, ...raw } = { ...newEvent(event), data: reread(event) as object };
      expect(asKept(raw)).to.deep.equal({ ...raw, event: { type: event.type, data: raw.data } });
      const others: readonly object[] = [
        { ...raw.data, unknown: 1 },
        { ...raw.data, from: 'Abandoned' },
        { ...raw.data, type: 7 },
        Object.fromEntries(Object.entries(raw.data).toReversed()),
      ];
      for (const data of others) expect(asKept({ ...raw, data })).to.deep.equal({ ...raw, data });
    }
    const { event: _, ...other } = newEvent({
      type: 'JobCancelled',
      data: { ...place, from: 'Waiting', reason: 'no' },
    });
    expect(asKept(other)).to.equal(other);
  });

  it('are left to the codec where somebody else has damaged them', () => {
    for (const data of [{}, { runner: 7 }, [], 'text', null]) {
      for (const type of ['JobEnqueued', 'JobClaimed', 'AttemptStarted', 'AttemptSucceeded']) {
        const whole = wholeData(type, ID, metadata, data);
        expect(
          isRight(decodeEvent({ type, data: whole, metadata })),
          `${type} ${JSON.stringify(data)}`,
        ).to.equal(false);
      }
    }
  });
});
