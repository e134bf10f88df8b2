import { expect } from 'chai';
import { backOff } from '../../adapters/back-off.js';

describe('the back-off of everything that waits for something to come back', () => {
  it('doubles its waits up to a bound, each a fifth apart at most', () => {
    const { next } = backOff(100, 1_000);
    for (const plain of [100, 200, 400, 800]) expect(next()).to.be.within(0.8 * plain, 1.2 * plain);
    for (let more = 0; more < 50; more += 1) expect(next()).to.be.within(800, 1_000);
  });

  it('begins anew once something went well', () => {
    const { next, reset } = backOff(100, 1_000);
    for (let failures = 0; failures < 5; failures += 1) next();
    reset();
    expect(next()).to.be.within(80, 120);
  });
});
