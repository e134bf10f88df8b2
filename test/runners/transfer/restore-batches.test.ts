import { expect } from 'chai';
import type { FileEvent } from '../../../runners/transfer/ledger-file.js';
import { appendOf, batchesOf } from '../../../runners/transfer/restore-batches.js';
import { newEvent } from '../../contract/appending.js';

const queued = (type: string): object => ({ wiki: 'default', type });

/** `stream revision EventType of the queue`. */
const fileEvents = (...places: readonly string[]): readonly FileEvent[] =>
  places.map((place, index) => {
    const [stream = '', revision = '', type = '', queue = 'q'] = place.split(' ');
    return {
      line: index + 2,
      bytes: 100,
      stream,
      revision: BigInt(revision),
      event: newEvent(type, queued(queue)),
    };
  });

async function* each<A>(items: readonly A[]): AsyncGenerator<A> {
  yield* items;
}

const batched = async (events: readonly FileEvent[]): Promise<readonly string[]> => {
  const batches: string[] = [];
  for await (const { shares } of batchesOf(each(events))) {
    const streams = [...shares.values()].map(
      ({ stream, first, events: own }) => `${stream}@${first}×${own.length}`,
    );
    batches.push(streams.join(' '));
  }
  return batches;
};

describe('batches of a restored file', () => {
  it('begin with the first event alone, and hold the events of a stream together', async () => {
    const events = fileEvents('a 0 JobEnqueued', 'b 0 JobEnqueued', 'b 1 JobClaimed', 'a 1 JobClaimed');
    expect(await batched(events)).to.deep.equal(['a@0×1', 'b@0×2 a@1×1']);
  });

  it('never write what asks for work together with an attempt of its queue that began before it', async () => {
    const events = fileEvents(
      'r 0 RunnerStarted',
      'a 1 AttemptStarted q',
      'b 0 JobEnqueued p',
      'c 0 JobEnqueued q',
      'd 2 AttemptStarted q',
      'e 3 DuplicateSuppressed q',
      'f 3 JobRequeued q',
    );
    expect(await batched(events)).to.deep.equal(['r@0×1', 'a@1×1 b@0×1', 'c@0×1 d@2×1', 'e@3×1 f@3×1']);
  });

  it('are bounded in events and in bytes, those of each stream as well', async () => {
    const many = fileEvents(...Array.from({ length: 1_100 }, (_, n) => `s${n} 0 JobEnqueued`));
    expect((await batched(many)).map((batch) => batch.split(' ').length)).to.deep.equal([1, 500, 500, 99]);
    const large = (bytes: number, ...places: readonly string[]) =>
      fileEvents(...places).map((event) => ({ ...event, bytes }));
    expect(await batched(large(3_000_000, 'a 0 x', 'b 0 x', 'c 0 x'))).to.have.length(3);
    expect(await batched(large(200_000, 'r 0 x', 'a 0 x', 'a 1 x'))).to.deep.equal([
      'r@0×1',
      'a@0×1',
      'a@1×1',
    ]);
  });

  it('are appended behind the revision before their first', () => {
    const [event] = fileEvents('a 4 JobClaimed');
    if (event === undefined) throw new Error('no event');
    expect(appendOf({ stream: 'a', first: 4n, events: [event] })).to.include({ stream: 'a', expected: 3n });
    expect(appendOf({ stream: 'a', first: 0n, events: [event] })).to.include({ expected: 'no-stream' });
  });
});
