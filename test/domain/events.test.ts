// Frozen history: test/fixtures/events/v<N> holds one recorded example of every event type and version ever released.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { readdirSync, readFileSync } from 'node:fs';
import { decodeEvent, eventCodecs, type LedgerEvent } from '../../domain/events.js';
import { foldJob } from '../../domain/job/fold.js';
import type { Metadata, RecordedEvent } from '../../domain/ledger.js';
import { currentVersion } from '../../domain/upcast.js';

interface Fixture {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Metadata;
}

const folder = new URL('../fixtures/events/', import.meta.url);

const fixture = (version: number, type: string): Fixture =>
  JSON.parse(readFileSync(new URL(`v${version}/${type}.json`, folder), 'utf8'));

const types = Object.keys(eventCodecs);
const versionsOf = (type: string): readonly number[] =>
  Array.from({ length: currentVersion(type) }, (_, index) => index + 1);

const decoded = (recorded: Fixture): LedgerEvent => {
  const event = decodeEvent(recorded);
  if (E.isLeft(event)) expect.fail(event.left);
  return event.right;
};

const stream = (events: readonly Fixture[]): readonly RecordedEvent[] =>
  events.map((event, index) => ({
    ...event,
    position: BigInt(10 * index + 10),
    stream: 'job-0198c7a2-7d3e-7c1a-9f4e-2b5d8a6c1e00',
    revision: BigInt(index),
    id: `event-${index}`,
    recordedAt: '2026-03-01T04:06:02.300Z',
  }));

describe('the events of the ledger', () => {
  it('are those of DESIGN: fourteen of a job, three of a queue, four of a schedule, two of a runner, two of the ledger', () => {
    const named = [
      'JobEnqueued DuplicateSuppressed JobClaimed AttemptStarted AttemptSucceeded AttemptFailed RetryScheduled',
      'JobReleased LeaseExpired JobSuperseded JobAbandoned JobCancelled JobRequeued JobErased',
      'QueuePaused QueueResumed QueueConfigured',
      'ScheduleDefined ScheduleFired ScheduleMissed ScheduleRemoved',
      'RunnerStarted RunnerStopped HistoryPruned SealPrinted',
    ];
    expect(types).to.have.members(named.join(' ').split(' '));
  });

  it('have a recorded example of every version that ever was, and of none that was not', () => {
    const there = readdirSync(folder).flatMap((version) =>
      readdirSync(new URL(`${version}/`, folder)).map((file) => `${version}/${file}`),
    );
    const wanted = types.flatMap((type) => versionsOf(type).map((version) => `v${version}/${type}.json`));
    expect(there).to.have.members(wanted);
  });

  for (const type of types) {
    for (const version of versionsOf(type)) {
      it(`can still be read: ${type} of version ${version}`, () => {
        const recorded = fixture(version, type);
        expect(recorded.metadata.schemaVersion).to.equal(version);
        expect(decoded(recorded).type).to.equal(type);
      });
    }

    it(`are written as they were read: ${type}`, () => {
      const recorded = fixture(currentVersion(type), type);
      const written: unknown = JSON.parse(JSON.stringify(decoded(recorded).data));
      expect(written).to.deep.equal(recorded.data);
    });
  }

  it('are brought up to date: a job of before the classes is of the normal one', () => {
    expect(fixture(1, 'JobEnqueued').data).to.not.have.property('class');
    expect(decoded(fixture(1, 'JobEnqueued')).data).to.include({ class: 'normal', priority: -3 });
    expect(decoded(fixture(2, 'JobEnqueued')).data).to.include({ class: 'high', priority: -3 });
  });

  it('replay with an old version among newer ones', () => {
    const events = ['JobEnqueued', 'JobClaimed', 'AttemptStarted', 'AttemptSucceeded'];
    const folded = foldJob(stream(events.map((type) => fixture(1, type))));
    expect(folded).to.have.nested.property('right._tag', 'Succeeded');
    expect(folded).to.have.nested.property('right.job.class', 'normal');
  });

  it('keep numbers beyond 2^53 digit for digit', () => {
    expect(decoded(fixture(2, 'JobEnqueued')).data).to.include({ number: '9007199254740993' });
    expect(decoded(fixture(1, 'AttemptSucceeded')).data).to.include({ begunRevision: '9007199254740995' });
  });
});

describe('an event that cannot be understood', () => {
  const job = fixture(2, 'JobEnqueued');
  const refusal = (recorded: Fixture): string => {
    const event = decodeEvent(recorded);
    return E.isLeft(event) ? event.left : 'accepted';
  };

  it('is refused by its version before its data are looked at', () => {
    expect(refusal({ ...job, data: {}, metadata: { ...job.metadata, schemaVersion: 3 } })).to.equal(
      'JobEnqueued has schema version 3; this program knows up to 2',
    );
  });

  it('is refused by its name where no such type is known', () => {
    for (const type of ['JobVanished', 'toString', '__proto__']) {
      expect(refusal({ ...job, type })).to.equal(`the event type "${type}" is not known to this version`);
    }
  });

  it('is refused with the path of the flaw', () => {
    const { number: _, ...without } = job.data;
    expect(refusal({ ...job, data: without })).to.equal(
      'JobEnqueued: number is missing, expected DecimalString',
    );
    expect(refusal({ ...job, data: { ...job.data, dedup: { ignoreDuplicates: true, sha1: 7 } } })).to.equal(
      'JobEnqueued: dedup.sha1 is 7, expected string',
    );
  });

  it('stops the fold, which says where', () => {
    const [first, second] = stream([job, { ...fixture(1, 'JobClaimed'), data: {} }]);
    if (first === undefined || second === undefined) expect.fail();
    expect(foldJob([first, second]))
      .to.have.property('left')
      .that.includes({
        _tag: 'Corrupt',
        stream: first.stream,
        revision: 1n,
        position: 20n,
      });
  });

  it('stops the fold where it is not of a job, or cannot follow', () => {
    const misplaced = foldJob(stream([job, fixture(1, 'QueuePaused')]));
    expect(misplaced).to.have.nested.property('left.message', 'QueuePaused is not an event of a job');
    const early = foldJob(stream([job, fixture(1, 'AttemptSucceeded')]));
    expect(early).to.have.nested.property('left.message', 'AttemptSucceeded cannot follow the state Waiting');
    const orphan = foldJob(stream([fixture(1, 'JobClaimed')]));
    expect(orphan).to.have.nested.property('left.message', 'JobClaimed cannot follow the state None');
  });
});
