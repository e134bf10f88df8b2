// A runner with nothing to do: what it costs the database, and how soon it begins when something comes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import * as t from 'io-ts';
import { addMilliseconds } from '../../../domain/instant.js';
import { defineJob } from '../../../runners/define-job.js';
import { openLedger, type Ledger } from '../../../runners/ledger.js';
import { startWork } from '../../../runners/work.js';
import { enqueued, isIn, testLedger, type TestLedger } from '../../support/ledger.js';
import { right } from '../../support/outcome.js';
import { proxyTo, type Proxy } from '../../support/proxy.js';
import { working } from '../../support/runners.js';
import { until } from '../../support/waiting.js';

const wall = (): number => performance.timeOrigin + performance.now();
const DAY_MS = 86_400_000;
/** So long that whatever begins before was told of. */
const NEVER_MS = 600_000;

describe('a runner with nothing to do', () => {
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

  const ledgerAt = (databaseUrl: string): Promise<Ledger> =>
    right(openLedger({ databaseUrl, home: '', schema: ledger.schema, by: 'test', report: () => undefined }));

  it('costs the database fewer than 5 statements a second, with all its duties, beside seven queues it does not work', async () => {
    const later = addMilliseconds(ledger.clock.now(), DAY_MS);
    const others = Array.from({ length: 7 }, (_, n) => ({ type: `unhandled${n}`, wiki: `wiki${n}` }));
    const brief = Array.from({ length: 200 }, (_, n) => ({ type: 'brief', wiki: `wiki${n}` }));
    await enqueued(ledger, ...others, ...brief.map((job) => ({ ...job, notBefore: later })));
    const own = await ledgerAt(proxy.url);
    const handlers = [defineJob({ type: 'brief', run: () => undefined })];
    const { done, stop } = startWork(own, { handlers, log: () => undefined });
    // Afterwards the handlers are known to be brief, and both lanes are open.
    const ids = await enqueued(ledger, ...brief);
    await until('they have succeeded', () => isIn(ledger, 'Succeeded', ...ids));
    const begun = wall();
    const before = proxy.statements();
    await until('a round of every duty has passed', () => wall() - begun > 11_000);
    const perSecond = ((proxy.statements() - before) * 1_000) / (wall() - begun);
    stop();
    await done;
    await own.close();
    expect(perSecond).to.be.within(0.5, 5);
  });

  it('begins what another process enqueues on an idle queue as it is told, not at its next poll', async () => {
    const waits: number[] = [];
    const handler = defineJob({
      type: 'told',
      params: t.type({ asked: t.number }),
      run: ({ params }) => void waits.push(wall() - params.asked),
    });
    const { done, stop } = working(ledger, [handler], { pollMs: NEVER_MS });
    const script = join(dirname(fileURLToPath(import.meta.url)), '../../support/enqueuing-process.ts');
    const args = ['--import', 'tsx', script, ledger.url, ledger.schema, 'told'];
    const producer = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(producer.stdout, 'data');
    for (let n = 0; n < 30; n += 1) {
      producer.stdin.write(`wiki${n}\n`);
      await until('it has begun', () => waits.length > n);
    }
    producer.stdin.end();
    await once(producer, 'exit');
    stop();
    await done;
    const median = waits.toSorted((a, b) => a - b)[waits.length >> 1] ?? Infinity;
    // On a quiet machine a tenth of it; what is tested is that nobody waited for a timer of seconds.
    expect(median).to.be.below(500);
  });

  it('is told by a producer that leaves at once', async () => {
    const { done, stop } = working(ledger, [{ type: 'left', run: () => undefined }], { pollMs: NEVER_MS });
    const [first = ''] = await enqueued(ledger, { type: 'left' });
    await until('the runner works', () => isIn(ledger, 'Succeeded', first));
    for (let n = 0; n < 5; n += 1) {
      const producer = await ledgerAt(ledger.url);
      const [id = ''] = await enqueued(producer, { type: 'left' });
      await producer.close();
      await until('it has begun', () => isIn(ledger, 'Succeeded', id));
    }
    stop();
    await done;
  });
});
