// Field case 22: a job that waits for its retry and a new one of the same key exist side by side, and stop nobody.
import { expect } from 'chai';
import {
  enqueued,
  everyEvent,
  factsOf,
  isIn,
  stateOf,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';
import { working } from '../support/runners.js';
import { uncovered } from '../support/uncovered.js';
import { until } from '../support/waiting.js';

describe('field case 22: a retry collides', () => {
  let ledger: TestLedger;

  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());

  it('with a new job of its key: the others run at once, the new one runs, and it covers the retry', async () => {
    const job = { type: 'keyed', dedupKey: 'k', ignoreDuplicates: true };
    const [first = ''] = await enqueued(ledger, { ...job, params: { fails: true } });
    const ran: string[] = [];
    const keyed = {
      type: 'keyed',
      retry: { backoff: { kind: 'fixed', firstMs: 1_500, jitter: 0 } },
      run: ({ id, params }: { id: string; params: Record<string, unknown> }): void => {
        ran.push(id);
        if (params['fails'] === true) throw new Error('not yet');
      },
    } as const;
    const other = { type: 'other', run: ({ id }: { id: string }): void => void ran.push(id) };
    const { stop, done, lines } = working(ledger, [keyed, other], { concurrency: 5 });
    await until('the first waits for its retry', async () =>
      (await typesOf(ledger, first)).includes('RetryScheduled'),
    );
    const ids = await enqueued(ledger, job, { type: 'other' }, { type: 'other' }, { type: 'other' });
    const [second = ''] = ids;
    await until('the others have run', () => isIn(ledger, 'Succeeded', ...ids));
    expect(await stateOf(ledger, first)).to.include({ _tag: 'Waiting' });
    await until('the retry is covered', () => isIn(ledger, 'Superseded', first));
    stop();
    await done;
    const [covered] = await factsOf(ledger, first, 'JobSuperseded');
    expect(covered).to.include({ rule: 'executed-later', by: second });
    expect(ran).to.have.members([first, ...ids]);
    expect(new Set(lines).size, lines.join('\n')).to.equal(lines.length);
    expect(uncovered(await everyEvent(ledger))).to.deep.equal([]);
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
