// Which keys a runner holds, and which it held while something was looked up.
import { expect } from 'chai';
import { keyCounter } from '../../../runners/worker/key-counter.js';

describe('a watch of the keys that a runner holds', () => {
  it('tells of those held when it began, then, and no more, and meanwhile only', () => {
    const keys = keyCounter();
    keys.hold('before');
    keys.hold('dropped before');
    keys.drop('dropped before');
    const watch = keys.watch();
    keys.drop('before');
    keys.hold('meanwhile');
    keys.drop('meanwhile');
    keys.hold('now');
    watch.end();
    keys.hold('after');
    const seen = ['before', 'dropped before', 'meanwhile', 'now', 'after'].filter(watch.wasHeld);
    expect(seen).to.deep.equal(['before', 'meanwhile', 'now']);
  });
});
