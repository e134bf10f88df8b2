// Stopping: no new claims, what runs may end within the grace time, what does not is given back uncounted.
import { expect } from 'chai';
import type { ClaimDesk } from '../../../projections/ports.js';
import type { Ledger } from '../../../runners/ledger.js';
import {
  column,
  enqueued,
  isIn,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { drained, working } from '../../support/runners.js';
import { gate, until, type Gate } from '../../support/waiting.js';

/** The same ledger, whose appends wait at a gate while one is set. */
const withHeldAppends = (ledger: Ledger): { held: Ledger; hold: (at: Gate | undefined) => void } => {
  let waiting: Gate | undefined;
  const { store } = ledger;
  const append: Ledger['store']['append'] = (appends) => async () => {
    await waiting?.opened;
    return store.append(appends)();
  };
  return {
    held: { ...ledger, store: { ...store, append } },
    hold: (at) => {
      waiting = at;
    },
  };
};

describe('a runner that is stopped', () => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await testLedger();
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  it('lets what runs end within the grace time, renewed, and claims nothing more', async () => {
    const [running = '', waiting = ''] = await enqueued(ledger, { type: 'a' }, { type: 'a' });
    const door = gate();
    const begun: string[] = [];
    const run = async ({ id }: { id: string }): Promise<void> => {
      begun.push(id);
      await door.opened;
    };
    const { done, stop } = working(ledger, [{ type: 'a', run }], { concurrency: 1, leaseMs: 900 });
    await until('it runs', () => begun.length === 1);
    stop();
    const renewals = () => column(ledger, 'SELECT renewed_until::text FROM __schema__.runner_presence');
    const [first] = await renewals();
    await until('its presence is renewed', async () => (await renewals())[0] !== first);
    door.open();
    expect(await done).to.include({ succeeded: 1, released: 0, lost: 0 });
    expect(begun).to.deep.equal([running]);
    expect(await isIn(ledger, 'Succeeded', running)).to.equal(true);
    expect(await typesOf(ledger, waiting)).to.deep.equal(['JobEnqueued']);
    expect(await renewals()).to.deep.equal([]);
  });

  it('fires the signals behind the grace time and gives back what runs, attempts unchanged', async () => {
    const ids = await enqueued(ledger, ...Array.from({ length: 5 }, () => ({ type: 'long' })));
    const reasons: unknown[] = [];
    let begun = 0;
    const { done, stop } = working(
      ledger,
      [
        {
          type: 'long',
          run: (_, { signal }) =>
            new Promise<void>((resolve) => {
              begun += 1;
              signal.addEventListener('abort', () => {
                reasons.push(signal.reason);
                resolve();
              });
            }),
        },
      ],
      { concurrency: 5, graceMs: 300 },
    );
    await until('they run', () => begun === 5);
    stop();
    expect(await done).to.include({ released: 5, succeeded: 0, failed: 0, lost: 0 });
    expect(reasons.map(String)).to.deep.equal(Array.from({ length: 5 }, () => 'Error: the runner stops'));
    for (const id of ids) {
      expect(await typesOf(ledger, id)).to.deep.equal([
        'JobEnqueued',
        'JobClaimed',
        'AttemptStarted',
        'JobReleased',
      ]);
    }
    expect(await unequalTables(ledger)).to.deep.equal([]);
    const attempts = await column(ledger, 'SELECT job_attempts::text FROM __schema__.job');
    expect(attempts).to.deep.equal(Array.from({ length: 5 }, () => '0'));
    expect(await drained(ledger, [{ type: 'long', run: () => 1 }])).to.include({ succeeded: 5 });
  });

  it('gives back what it holds and has not begun', async () => {
    const ids = await enqueued(
      ledger,
      ...Array.from({ length: 300 }, (_, n) => ({ type: 'b', params: { n } })),
    );
    const door = gate();
    let calls = 0;
    const run = async (): Promise<void> => {
      calls += 1;
      if (calls > 100) await door.opened;
    };
    const { done, stop } = working(ledger, [{ type: 'b', run }]);
    await until('short jobs have come to a stop', () => calls > 100);
    stop();
    door.open();
    const { succeeded, lost } = await done;
    expect({ succeeded, lost }).to.deep.equal({ succeeded: calls, lost: 0 });
    const states = { Succeeded: 0, Waiting: 0 };
    for (const id of ids) {
      if (await isIn(ledger, 'Waiting', id)) states.Waiting += 1;
      else if (await isIn(ledger, 'Succeeded', id)) states.Succeeded += 1;
    }
    expect(states).to.deep.equal({ Succeeded: calls, Waiting: ids.length - calls });
  });

  it('does not mix a report on its way with giving the same job back', async () => {
    const { held, hold } = withHeldAppends(ledger);
    const ids = await enqueued(ledger, { type: 'quick' }, { type: 'quick' }, { type: 'endless' });
    const [first = '', second = '', endless = ''] = ids;
    const doors = new Map(ids.map((id) => [id, gate()]));
    const begun: string[] = [];
    let isAborted = false;
    const { done, stop } = working(
      held,
      [
        {
          type: 'quick',
          run: async ({ id }) => {
            begun.push(id);
            await doors.get(id)?.opened;
          },
        },
        {
          type: 'endless',
          run: (_, { signal }) =>
            new Promise((resolve) => {
              begun.push(endless);
              signal.addEventListener('abort', () => {
                isAborted = true;
                resolve(undefined);
              });
            }),
        },
      ],
      { graceMs: 400 },
    );
    await until('all run', () => begun.length === 3);
    const trip = gate();
    hold(trip);
    doors.get(first)?.open();
    stop();
    doors.get(second)?.open();
    await until('the grace time is over', () => isAborted);
    hold(undefined);
    trip.open();
    expect(await done).to.include({ succeeded: 2, released: 1, lost: 0 });
    expect(await isIn(ledger, 'Succeeded', first, second)).to.equal(true);
    expect((await typesOf(ledger, endless)).at(-1)).to.equal('JobReleased');
  });

  it('gives back, where an error that nobody waited for ends it, what a trip under way still brings', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'c' });
    const door = gate();
    const claimDesk: ClaimDesk = {
      ...ledger.claimDesk,
      withPicked: (picks, use) => async () => {
        const given = await ledger.claimDesk.withPicked(picks, use)();
        await door.opened;
        return given;
      },
    };
    let [isCalled, isSpared] = [false, false];
    const handler = { type: 'c', run: () => void (isCalled = true) };
    const { done, stray } = working({ ...ledger, claimDesk }, [handler]);
    await until('its start is written', () => isIn(ledger, 'Running', id));
    const spared = stray()
      .spare()
      .then(() => (isSpared = true));
    expect(await isIn(ledger, 'Running', id)).to.equal(true);
    expect(isSpared).to.equal(false);
    door.open();
    await spared;
    expect((await typesOf(ledger, id)).at(-1)).to.equal('JobReleased');
    expect(isCalled).to.equal(false);
    await done;
  });

  it('tells that it has started and stopped', async () => {
    await drained(ledger, [{ type: 'none', run: () => 1 }], { concurrency: 3 });
    const told = await column(
      ledger,
      `SELECT type || ' ' || coalesce(data ->> 'how', data ->> 'concurrency') FROM __schema__.event
       WHERE stream LIKE 'runner-%' ORDER BY position`,
    );
    expect(told).to.deep.equal(['RunnerStarted 3', 'RunnerStopped drained']);
  });

  it('is not held up by a stop that comes before anything else', async () => {
    await enqueued(ledger, { type: 'c' });
    const { done, stop } = working(ledger, [{ type: 'c', run: () => 1 }]);
    stop();
    expect(await done).to.include({ succeeded: 0, lost: 0 });
  });
});
