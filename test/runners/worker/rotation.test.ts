// Which queues a runner picks from: strict classes, turns by weight, and what a class that has waited too long is owed.
import { expect } from 'chai';
import type { ReadyQueue } from '../../../projections/ports.js';
import { rotation, type Rotation } from '../../../runners/worker/rotation.js';

const queue = (type: string, facts: Partial<ReadyQueue> = {}): ReadyQueue => ({
  places: [3],
  class: 1,
  wiki: 'enwiki',
  type,
  weight: 1,
  order: 'fifo',
  mayBeLimited: false,
  ...facts,
});

const NONE: ReadonlySet<number> = new Set();

/** So many picks of one job each, every one of them given. */
const oneByOne = (turns: Rotation, count: number, starving = NONE): readonly string[] =>
  Array.from({ length: count }, () => {
    const [pick] = turns.plan(1, 0, starving);
    if (pick === undefined) return '-';
    turns.gave(pick.queue.class, 1, starving);
    return pick.queue.type;
  });

const turnsAmong = (...queues: readonly ReadyQueue[]): Rotation => {
  const turns = rotation();
  turns.renew(queues);
  return turns;
};

describe('the rotation of queues', () => {
  it('picks from the highest class alone while it has anything', () => {
    const turns = turnsAmong(queue('low', { class: 2 }), queue('high', { class: 0 }), queue('normal'));
    expect(new Set(oneByOne(turns, 50))).to.deep.equal(new Set(['high']));
    expect(turns.plan(300, 0, NONE).map((pick) => pick.queue.type)).to.deep.equal(['high']);
  });

  it('gives each queue of a class its turn, as long as its weight', () => {
    const turns = turnsAmong(queue('a'), queue('b', { weight: 3 }), queue('c'));
    expect(oneByOne(turns, 10).join('')).to.equal('abbbcabbbc');
  });

  it('shares a large pick among queues by their weights', () => {
    const turns = turnsAmong(queue('a'), queue('b', { weight: 3 }));
    const shares = turns.plan(400, 0, NONE).map(({ queue: { type }, limit }) => [type, limit]);
    expect(Object.fromEntries(shares)).to.deep.equal({ a: 100, b: 300 });
  });

  it('asks one queue for all, and many for a few each', () => {
    expect(turnsAmong(queue('a')).plan(1_000, 0, NONE)).to.have.lengthOf(1);
    const many = Array.from({ length: 5_000 }, (_, n) => queue('t', { wiki: `wiki-${n}` }));
    const picks = turnsAmong(...many).plan(1_000, 0, NONE);
    expect(picks.length).to.equal(100);
    expect(picks.reduce((sum, { limit }) => sum + limit, 0)).to.equal(1_000);
  });

  it('lets no wiki and no type starve, however many queues another has', () => {
    const wikis = ['a', 'b', 'c'].flatMap((wiki) =>
      Array.from({ length: wiki === 'a' ? 200 : 1 }, (_, n) => queue(`t${n}`, { wiki })),
    );
    const turns = turnsAmong(...wikis);
    const seen = new Map<string, number>();
    for (let n = 0; n < wikis.length * 3; n += 1) {
      const [pick] = turns.plan(1, 0, NONE);
      const key = `${pick?.queue.wiki} ${pick?.queue.type}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    expect([...seen.values()].every((count) => count === 3)).to.equal(true);
  });

  it('goes on where it was when the queues are read anew', () => {
    const turns = turnsAmong(queue('a'), queue('b'), queue('c'));
    expect(oneByOne(turns, 1)).to.deep.equal(['a']);
    turns.renew([queue('a'), queue('b'), queue('c'), queue('d')]);
    expect(oneByOne(turns, 4).join('')).to.equal('bcda');
    turns.renew([queue('a'), queue('c')]);
    expect(oneByOne(turns, 2).join('')).to.equal('ca');
  });

  it('gives a lower class that has waited too long one pick in twenty, and no more', () => {
    const turns = turnsAmong(queue('high', { class: 0 }), queue('normal'), queue('low', { class: 2 }));
    const taken = oneByOne(turns, 400, new Set([2]));
    expect(taken.filter((type) => type === 'low')).to.have.lengthOf(20);
    expect(taken.filter((type) => type === 'normal')).to.have.lengthOf(0);
    expect(taken.slice(0, 19)).to.not.include('low');
    const large = turns.plan(300, 0, new Set([2])).map(({ queue: { type }, limit }) => [type, limit]);
    expect(Object.fromEntries(large)).to.deep.equal({ high: 285, low: 15 });
  });

  it('owes nothing to a class that has not waited too long', () => {
    const turns = turnsAmong(queue('high', { class: 0 }), queue('low', { class: 2 }));
    oneByOne(turns, 500);
    expect(oneByOne(turns, 19, new Set([2]))).to.not.include('low');
  });

  it('goes on to a lower class where a higher one is held back or has nothing left', () => {
    const high = queue('high', { class: 0 });
    const turns = turnsAmong(high, queue('normal'));
    turns.hold(high, 100, { asked: 0, now: 0, isTold: true });
    turns.letGo();
    expect(turns.plan(1, 50, NONE)[0]?.queue.type).to.equal('normal');
    expect(turns.heldUntil(50)).to.equal(100);
    expect(turns.plan(1, 100, NONE)[0]?.queue.type).to.equal('high');
    turns.leaveOut(high);
    expect(turns.plan(1, 100, NONE)[0]?.queue.type).to.equal('normal');
    turns.renew([high, queue('normal')]);
    expect(turns.plan(1, 100, NONE)[0]?.queue.type).to.equal('high');
  });

  it('holds a queue at its limit until its time, or until a job of it ends', () => {
    const a = queue('a');
    const turns = turnsAmong(a, queue('b'));
    const types = (now: number): string =>
      turns
        .plan(2, now, NONE)
        .map((pick) => pick.queue.type)
        .toSorted()
        .join('');
    const found = { asked: 90, now: 100, isTold: false };
    turns.hold(a, 50, found);
    expect([types(120), types(150)]).to.deep.equal(['b', 'ab']);
    turns.hold(a, 50, found);
    turns.noteEnd({ type: 'b', wiki: 'enwiki' }, 110);
    expect(types(120)).to.equal('b');
    turns.noteEnd({ type: 'a', wiki: 'enwiki' }, 110);
    expect(types(120)).to.equal('ab');
  });

  it('holds a queue for a moment only where a job of it ended while it was found to be at its limit', () => {
    const a = queue('a');
    const turns = turnsAmong(a, queue('b'));
    turns.noteEnd({ type: 'a', wiki: 'enwiki' }, 95);
    turns.hold(a, 50, { asked: 90, now: 100, isTold: false });
    expect(turns.ranks(100)).to.deep.equal([1]);
    expect(turns.plan(2, 101, NONE).map((pick) => pick.queue.type)).to.deep.equal(['b']);
    expect(turns.heldUntil(101)).to.equal(105);
    turns.noteEnd({ type: 'a', wiki: 'enwiki' }, 195);
    turns.hold(a, 50, { asked: 190, now: 200, isTold: true });
    expect(turns.heldUntil(201)).to.equal(250);
  });
});
