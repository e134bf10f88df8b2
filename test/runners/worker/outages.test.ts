// The database goes away and comes back, another takes its place, connections go silent: nobody starts a runner anew.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { startProjector } from '../../../adapters/postgres/live-projector.js';
import { stopEmbedded } from '../../../adapters/embedded/index.js';
import { catchUpProjections } from '../../../projections/index.js';
import { openLedger, type Ledger } from '../../../runners/ledger.js';
import { claimed } from '../../support/claims.js';
import { removeHome, start, temporaryHome } from '../../support/embedded-home.js';
import { column, enqueued, everyHistory, isIn, unequalTables } from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import { testDatabase, type TestDatabase } from '../../support/postgres.js';
import { proxyTo, type Proxy } from '../../support/proxy.js';
import { working } from '../../support/runners.js';
import { standbyOf, type Standby } from '../../support/standby.js';
import { gate, until } from '../../support/waiting.js';

const ledgerAt = (where: { readonly databaseUrl?: string; readonly home?: string }): Promise<Ledger> =>
  right(
    openLedger({
      databaseUrl: where.databaseUrl,
      home: where.home ?? '',
      schema: 'jobledger',
      by: 'test',
      report: () => undefined,
    }),
  );

/** A projector as `jobledger project` keeps it. */
const projecting = ({ pool, schema, store, findServer }: Ledger) =>
  startProjector(pool, schema, catchUpProjections, { store, onError: () => void findServer() });

const jobs = (count: number, type: string): readonly object[] =>
  Array.from({ length: count }, (_, n) => ({ type, params: { n } }));

/** Enqueued in spite of outages, each once: the caller's own ids make the repetition harmless. */
const enqueueUntilDone = async (ledger: Ledger, type: string, count: number): Promise<readonly string[]> => {
  const named = jobs(count, type).map((job, n) => ({
    ...job,
    jobId: `0000${String(n).padStart(4, '0')}-0000-4000-8000-${Buffer.from(type).toString('hex').padEnd(12, '0').slice(0, 12)}`,
  }));
  await until('the enqueue is acknowledged', async () =>
    (await ledger.producer.enqueueAll(named)).every(E.isRight),
  );
  return named.map(({ jobId }) => jobId);
};

describe('a runner whose database goes away', () => {
  let home: string;
  let url: string;

  before(async () => {
    home = await temporaryHome();
    ({ url } = await start(home));
  });
  after(() => removeHome(home));

  it('works on when the server is stopped and started again, and so do reaper and projector', async () => {
    const ledger = await ledgerAt({ home });
    const projector = projecting(ledger);
    const handlers = ['before', 'meanwhile', 'after', 'left'].map((type) => ({ type, run: () => undefined }));
    const { done, stop, lines } = working(ledger, handlers);
    const ids = await enqueued(ledger, ...jobs(20, 'before'));
    await until('the first have succeeded', () => isIn(ledger, 'Succeeded', ...ids));
    const [left = ''] = await enqueued(ledger, { type: 'left', priority: 'low' });
    await until('it has run', () => isIn(ledger, 'Succeeded', left));

    expect(E.isRight(await stopEmbedded(home)())).to.equal(true);
    await until('the runner notices', () => lines.some((line) => line.includes('is tried again')));
    const meanwhile = enqueueUntilDone(ledger, 'meanwhile', 20);
    await start(home);

    const later = [...(await meanwhile), ...(await enqueued(ledger, ...jobs(20, 'after')))];
    const [abandonedByItsRunner = ''] = await enqueued(ledger, { type: 'nobody takes it' });
    await claimed(ledger, abandonedByItsRunner, { leaseMs: 0 });
    await until('all have succeeded', () => isIn(ledger, 'Succeeded', ...later));
    await until('the reaper has done its part', () => isIn(ledger, 'Waiting', abandonedByItsRunner));
    await until('the projector is up to date', async () => {
      const statuses = await right(projector.status());
      return statuses.every(({ behind, halt }) => behind === 0n && halt === undefined);
    });
    stop();
    expect(await done).to.include({ lost: 0, failed: 0 });
    await projector.stop();
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.close();
  });

  it('works on with another primary that takes its place, and what was acknowledged is there', async () => {
    const standby: Standby = await standbyOf(home, url);
    const proxy = await proxyTo(`${url}?query_timeout=1500`);
    const ledger = await ledgerAt({ databaseUrl: proxy.url });
    const projector = projecting(ledger);
    const calls = new Map<string, number>();
    const run = ({ id }: { id: string }): void => void calls.set(id, (calls.get(id) ?? 0) + 1);
    const { done, stop } = working(ledger, [{ type: 'switched', run }], { leaseMs: 20_000 });
    const ids = await enqueued(ledger, ...jobs(300, 'switched'));
    await until('work is under way', () => calls.size > 20);

    // As it is when a machine drops out: nobody hears of its end, and its address leads to another one.
    proxy.silence();
    proxy.silenceNewcomers();
    expect(E.isRight(await stopEmbedded(home)())).to.equal(true);
    await standby.promote();
    proxy.leadTo(standby.url);
    proxy.restore();

    const later = await enqueued(ledger, ...jobs(50, 'switched').map((job) => ({ ...job, wiki: 'later' })));
    await until('all have succeeded', () => isIn(ledger, 'Succeeded', ...ids, ...later));
    stop();
    await done;
    await projector.stop();
    for (const [id, events] of await everyHistory(ledger)) {
      const expired = events.filter(({ type }) => type === 'LeaseExpired').length;
      if (calls.has(id)) expect(calls.get(id), id).to.be.within(1, 1 + expired);
    }
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.close();
    await proxy.close();
    await standby.end();
  });
});

describe('a runner whose connections go silent', () => {
  let database: TestDatabase;
  let proxy: Proxy;
  let runners: Ledger;
  let others: Ledger;

  beforeEach(async () => {
    database = await testDatabase();
    proxy = await proxyTo(`${database.url}?query_timeout=1000`);
    runners = await ledgerAt({ databaseUrl: proxy.url });
    others = await ledgerAt({ databaseUrl: database.url });
  });
  afterEach(async () => {
    expect(await unequalTables(others)).to.deep.equal([]);
    await Promise.all([runners.close(), others.close()]);
    await proxy.close();
    await database.drop();
  });

  it('replaces them before its leases are over: no handler is told, no report is lost', async () => {
    const door = gate();
    const told: unknown[] = [];
    const { done, stop } = working(
      runners,
      [
        {
          type: 'long',
          run: async (_, { signal }) => {
            signal.addEventListener('abort', () => told.push(signal.reason));
            await door.opened;
          },
        },
        { type: 'short', run: () => undefined },
      ],
      { leaseMs: 9_000 },
    );
    const [long = ''] = await enqueued(others, { type: 'long' });
    await until('it runs', () => isIn(others, 'Running', long));
    const renewed = () => column(others, 'SELECT max(renewed_until)::text FROM __schema__.runner_presence');
    proxy.silence();
    const [before] = await renewed();
    const [short = ''] = await enqueued(others, { type: 'short' });
    await until('other jobs are claimed and reported', () => isIn(others, 'Succeeded', short));
    await until('the lease is renewed', async () => String((await renewed())[0]) > String(before));
    door.open();
    await until('it is reported', () => isIn(others, 'Succeeded', long));
    stop();
    expect(await done).to.include({ succeeded: 2, lost: 0 });
    expect(told).to.deep.equal([]);
  });

  it('goes on under a new id when the silence outlasts its lease, and its handlers are told', async () => {
    const told: unknown[] = [];
    const { done, stop } = working(
      runners,
      [
        {
          type: 'long',
          run: ({ attempt }, { signal }) =>
            attempt > 1
              ? undefined
              : new Promise<void>((resolve) => {
                  signal.addEventListener('abort', () => {
                    told.push(signal.reason);
                    resolve();
                  });
                }),
        },
      ],
      { leaseMs: 2_500 },
    );
    const [long = ''] = await enqueued(others, { type: 'long' });
    await until('it runs', () => isIn(others, 'Running', long));
    proxy.silence();
    proxy.silenceNewcomers();
    await until('its handler is told', () => told.length > 0);
    proxy.restore();
    await until('it has succeeded', () => isIn(others, 'Succeeded', long));
    stop();
    expect(await done).to.include({ succeeded: 1, lost: 1 });
    expect(String(told[0])).to.include('could not renew for a whole lease');
  });
});
