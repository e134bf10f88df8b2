// The ledger's clock in a process: the database's, whatever this machine takes for the time.
import { expect } from 'chai';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { unavailable } from '../../domain/errors.js';
import { isoOf } from '../../domain/instant.js';
import { ledgerClock } from '../../runners/clock.js';

const NOON = Date.UTC(2026, 5, 1, 12);

/** A database whose clock shows `steady + ahead`, and a trip to it that takes so long there and back. */
const world = (ahead: number, wall = NOON) => {
  const times = { steady: 1_000, wall, there: 0, back: 0, ahead };
  const now = () => async () => {
    times.steady += times.there;
    const read = isoOf(Math.floor(times.steady + times.ahead));
    times.steady += times.back;
    return TE.right(read)();
  };
  const clock = ledgerClock({ now }, { steady: () => times.steady, wall: () => times.wall });
  return { times, clock, ahead: () => Date.parse(clock.now()) - times.steady };
};

describe("the ledger's clock", () => {
  it('is the database’s, and tells by how much that is ahead of this machine', async () => {
    const { clock, times } = world(NOON + 90_000 - 1_000);
    await clock.measure();
    expect(clock.now()).to.equal('2026-06-01T12:01:30.000Z');
    expect(clock.offset()).to.equal(90_001);
    times.steady += 5_000;
    times.wall += 5_000;
    expect(clock.now()).to.equal('2026-06-01T12:01:35.000Z');
  });

  it('goes on evenly when somebody sets the clock of this machine', async () => {
    const { clock, times } = world(NOON - 1_000);
    await clock.measure();
    times.wall -= 3_600_000;
    times.steady += 10;
    expect(clock.now()).to.equal('2026-06-01T12:00:00.010Z');
    expect(clock.offset()).to.be.within(3_600_000, 3_600_100);
  });

  it('is wrong by half a trip at most, and is set right by a quicker one', async () => {
    const { clock, times, ahead } = world(NOON);
    [times.there, times.back] = [0, 4_000];
    await clock.measure();
    expect(ahead() - NOON).to.be.within(-2_001, 2_001);
    [times.there, times.back] = [1, 1];
    await clock.measure();
    expect(ahead() - NOON).to.be.within(-2, 2);
  });

  it('is not set wrong by a slow trip', async () => {
    const { clock, times, ahead } = world(NOON);
    await clock.measure();
    [times.there, times.back] = [0, 9_000];
    await clock.measure();
    expect(ahead() - NOON).to.be.within(-2, 2);
  });

  it('follows the database where that goes another way, behind a machine that slept for example', async () => {
    const { clock, times, ahead } = world(NOON);
    await clock.measure();
    times.ahead += 60_000;
    await clock.measure();
    expect(ahead() - NOON).to.be.within(59_998, 60_002);
  });

  it('goes by what it knows while the database does not answer', async () => {
    const steady = (): number => 5;
    const clock = ledgerClock({ now: () => TE.left(unavailable('not today')) }, { steady, wall: () => NOON });
    expect((await clock.measure())._tag).to.equal('Left');
    expect(clock.now()).to.equal('2026-06-01T12:00:00.000Z');
  });
});
