// Notifications only shorten waiting: with a listener that is silent, or none at all, everything is worked within a poll.
import { expect } from 'chai';
import { connect } from '../../adapters/postgres/connection.js';
import { postgresWakeUps } from '../../adapters/postgres/wake-ups.js';
import { millisecondsBetween } from '../../domain/instant.js';
import { openLedger } from '../../runners/ledger.js';
import { right } from '../support/ledger-database.js';
import { column, enqueued, factsOf, isIn, testLedger, type TestLedger } from '../support/ledger.js';
import { proxyTo, type Proxy } from '../support/proxy.js';
import { working } from '../support/runners.js';
import { until } from '../support/waiting.js';

const POLL_MS = 300;
/** What a busy machine adds to a claim. */
const SLACK_MS = 2_000;

const listens = (said: string): boolean => said.includes('LISTEN');

describe('field case 26: a listener that nobody answers', () => {
  let ledger: TestLedger;
  let proxy: Proxy;

  beforeEach(async () => {
    ledger = await testLedger();
    proxy = await proxyTo(ledger.url);
  });
  afterEach(async () => {
    await proxy.close();
    await ledger.drop();
  });

  it('lets work go on, each job within a poll', async () => {
    const deaf = await right(
      openLedger({
        databaseUrl: proxy.url,
        home: '',
        schema: ledger.schema,
        by: 'test',
        report: () => undefined,
      }),
    );
    const run = (): void => undefined;
    const { done, stop } = working(deaf, [{ type: 'untold', run }], { pollMs: POLL_MS });
    const [first = ''] = await enqueued(ledger, { type: 'untold' });
    await until('the runner works', () => isIn(ledger, 'Succeeded', first));
    proxy.silence(listens);
    for (let n = 0; n < 10; n += 1) {
      const [id = ''] = await enqueued(ledger, { type: 'untold', params: { n } });
      await until('it has succeeded', () => isIn(ledger, 'Succeeded', id));
      const [enqueue] = await factsOf(ledger, id, 'JobEnqueued');
      const [claim] = await factsOf(ledger, id, 'JobClaimed');
      const waited = millisecondsBetween(enqueue?.enqueuedAt ?? '', claim?.claimedAt ?? '');
      expect(waited).to.be.below(POLL_MS + SLACK_MS);
    }
    stop();
    await done;
    await deaf.close();
  });

  it('is found out by a question of its own, and replaced', async () => {
    const pool = await right(connect(proxy.url));
    const times = { probeMs: 100, silenceMs: 400 };
    const wakeUps = postgresWakeUps(pool, ledger.schema, times);
    let heard = 0;
    wakeUps.listen(() => {
      heard += 1;
    });
    const tell = () => column(ledger, `SELECT pg_notify($1, '')::text`, `${ledger.schema}:appended`);
    await until('it listens', () => heard > 0);
    proxy.silence(listens);
    const before = heard;
    await until('it listens again', async () => {
      await tell();
      return heard > before;
    });
    await wakeUps.close();
    await pool.end();
  });
});
