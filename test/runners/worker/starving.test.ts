// Which lower classes have waited too long, however many queues they have.
import { expect } from 'chai';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { ReadyQueue } from '../../../projections/ports.js';
import { starvingClasses } from '../../../runners/worker/starving.js';
import { right } from '../../support/outcome.js';

const queue = (rank: number, n: number): ReadyQueue => ({
  places: [3],
  class: rank,
  wiki: `wiki-${n}`,
  type: 't',
  weight: 1,
  order: 'fifo',
  mayBeLimited: false,
});

const QUEUES = 1_200;

describe('classes that have waited too long', () => {
  /** A look a second; `waits` says how long the head of each queue of the low class has waited, in milliseconds. */
  const looking = (waits: Map<string, number>) => {
    const queues = new Map([
      [0, [queue(0, 0)]],
      [2, Array.from({ length: QUEUES }, (_, n) => queue(2, n))],
    ]);
    let asked = 0;
    const longestWait = (some: readonly ReadyQueue[]) => {
      asked += some.length;
      return TE.of(Math.max(...some.map(({ wiki }) => waits.get(wiki) ?? 1_000)));
    };
    const starving = starvingClasses(
      { longestWait },
      { ranks: () => [0, 2], queuesOf: (rank) => queues.get(rank) ?? [] },
    );
    let now = 0;
    const look = async (): Promise<boolean> => {
      now += 1_000;
      await right(() => starving.look(now));
      return starving.ranks().has(2);
    };
    return { look, heads: () => asked };
  };

  it('are found by their one old job, and are taken as such as long as it waits', async () => {
    const waits = new Map([['wiki-1150', 61_000]]);
    const { look } = looking(waits);
    const before = [await look(), await look(), await look()];
    expect(before.at(-1)).to.equal(true);
    for (let n = 0; n < 120; n += 1) expect(await look(), `look ${n}`).to.equal(true);
    waits.delete('wiki-1150');
    expect(await look()).to.equal(false);
  });

  it('are found by the next old job once the first is done', async () => {
    const waits = new Map([
      ['wiki-300', 70_000],
      ['wiki-310', 65_000],
      ['wiki-20', 62_000],
    ]);
    const { look } = looking(waits);
    await look();
    expect(await look()).to.equal(true);
    for (const wiki of waits.keys()) {
      await look();
      await look();
      expect(await look(), wiki).to.equal(true);
      waits.delete(wiki);
    }
    expect([await look(), await look(), await look()]).to.deep.equal([false, false, false]);
  });

  it('cost no more than 500 heads a second to find', async () => {
    const { look, heads } = looking(new Map());
    for (let n = 0; n < 10; n += 1) expect(await look()).to.equal(false);
    expect(heads()).to.be.at.most(5_000);
  });
});
