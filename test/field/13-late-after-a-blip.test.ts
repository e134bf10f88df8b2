// Delayed work and a connection that is lost while it waits: what is due is read anew, never remembered.
import { expect } from 'chai';
import { addMilliseconds, millisecondsBetween } from '../../domain/instant.js';
import { openLedger, type Ledger } from '../../runners/ledger.js';
import { right } from '../support/ledger-database.js';
import { enqueued, factsOf, isIn, testLedger, type TestLedger } from '../support/ledger.js';
import { proxyTo, type Proxy } from '../support/proxy.js';
import { working, type TestWork } from '../support/runners.js';
import { until } from '../support/waiting.js';

const POLL_MS = 1_000;
const DEADLINE_MS = 1_000;
/** Connecting anew on a busy machine. */
const SLACK_MS = 2_000;

describe('field case 13: a job that falls due around a lost connection', () => {
  let ledger: TestLedger;
  let proxy: Proxy;
  let cutOff: Ledger;
  let runner: TestWork;

  beforeEach(async () => {
    ledger = await testLedger();
    proxy = await proxyTo(`${ledger.url}?query_timeout=${DEADLINE_MS}`);
    cutOff = await right(
      openLedger({
        databaseUrl: proxy.url,
        home: '',
        schema: ledger.schema,
        by: 'test',
        report: () => undefined,
      }),
    );
    runner = working(cutOff, [{ type: 'later', run: () => undefined }], { pollMs: POLL_MS });
    const [first = ''] = await enqueued(ledger, { type: 'later' });
    await until('the runner works', () => isIn(ledger, 'Succeeded', first));
  });
  afterEach(async () => {
    runner.stop();
    await runner.done;
    await cutOff.close();
    await proxy.close();
    await ledger.drop();
  });

  const later = async (milliseconds: number): Promise<{ readonly id: string; readonly due: string }> => {
    const due = addMilliseconds(await right(ledger.index.now()), milliseconds);
    const [id = ''] = await enqueued(ledger, { type: 'later', notBefore: due });
    return { id, due };
  };

  const untilTime = (instant: string): Promise<boolean> =>
    until('that time has come', async () => (await right(ledger.index.now())) > instant);

  const notices = (): Promise<boolean> =>
    until('the runner notices', () => runner.lines.some((line) => line.includes('is tried again')));

  const claimedAfter = async (id: string, instant: string): Promise<number> => {
    await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
    const [claim] = await factsOf(ledger, id, 'JobClaimed');
    return millisecondsBetween(instant, claim?.claimedAt ?? '');
  };

  it('is claimed within a poll of its time, where the connection came back before', async () => {
    const { id, due } = await later(5_000);
    proxy.cut();
    await notices();
    await untilTime(addMilliseconds(due, -2_000));
    proxy.restore();
    expect(await claimedAfter(id, due)).to.be.within(0, POLL_MS + SLACK_MS);
  });

  it('is claimed within a poll of the connection’s return, where it fell due meanwhile', async () => {
    const { id, due } = await later(1_500);
    proxy.cut();
    await notices();
    await untilTime(addMilliseconds(due, 1_500));
    proxy.restore();
    const back = await right(ledger.index.now());
    expect(await claimedAfter(id, back)).to.be.within(0, POLL_MS + SLACK_MS);
  });

  it('is claimed within a poll and a deadline, where the connection went silent instead', async () => {
    const { id, due } = await later(2_000);
    proxy.silence();
    expect(await claimedAfter(id, due)).to.be.within(0, POLL_MS + 2 * DEADLINE_MS + SLACK_MS);
  });
});
