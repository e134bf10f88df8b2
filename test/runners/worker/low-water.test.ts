import { expect } from 'chai';
import type { Pick, PlacedJob, ReadyQueue } from '../../../projections/ports.js';
import { lowWater } from '../../../runners/worker/low-water.js';

const queue: ReadyQueue = {
  places: [3],
  class: 1,
  wiki: 'enwiki',
  type: 'a',
  weight: 1,
  order: 'fifo',
  mayBeLimited: false,
};
const asked = (limit: number, from?: Pick['from']): readonly Pick[] => [{ queue, limit, from }];
const given = (...numbers: readonly number[]): readonly PlacedJob[] =>
  numbers.map((number) => ({ jobId: 'j', revision: 0n, pick: 0, priority: 0, number: BigInt(number) }));

describe('low-water marks', () => {
  const after = (milliseconds: number) => {
    let now = 0;
    const marks = lowWater(() => now);
    marks.learn(asked(2), given(7, 8), milliseconds);
    return { marks, at: (moment: number) => (now = moment) };
  };

  it('are not needed where picks are fast', () => {
    expect(after(1).marks.from(queue)).to.equal(undefined);
  });

  it('let the next pick begin where a slow one ended, for a moment', () => {
    const { marks, at } = after(40);
    expect(marks.from(queue)).to.include({ priority: 0, number: 8n });
    marks.learn(asked(2, { priority: 0, number: 8n }), given(9, 11), 0.5);
    expect(marks.from(queue)).to.include({ number: 11n });
    at(1_100);
    expect(marks.from(queue)).to.equal(undefined);
  });

  it('are given up where a pick comes back short: jobs may stand before them', () => {
    const { marks } = after(40);
    marks.learn(asked(2, { priority: 0, number: 8n }), given(9), 0.5);
    expect(marks.from(queue)).to.equal(undefined);
  });
});
