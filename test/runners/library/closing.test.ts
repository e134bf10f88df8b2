// What a program has begun on a ledger ends before the ledger does.
import { expect } from 'chai';
import { defineJob, promises, type JobQueueError, type Ledger } from '../../../runners/index.js';
import { everyEvent, stateOf, testLedger, type TestLedger } from '../../support/ledger.js';
import { gate } from '../../support/waiting.js';

const AN_HOUR = 3_600_000;

describe('closing a ledger', () => {
  let site: TestLedger;
  let ledger: Ledger;
  beforeEach(async () => {
    site = await testLedger();
    ledger = await promises.openLedger({ databaseUrl: site.url, schema: site.schema });
  });
  afterEach(async () => {
    await ledger.close();
    await site.drop();
  });

  const lazyGroup = (onUnwritten?: (error: JobQueueError) => void) =>
    promises
      .jobQueueGroupFactory({ ledgers: { default: ledger }, lazy: { everyMs: AN_HOUR, onUnwritten } })
      .group('w');

  it('writes what was pushed lazily', async () => {
    const group = lazyGroup();
    group.lazyPush({ type: 'a' }, { type: 'b' });
    await ledger.close();
    expect((await everyEvent(site)).map(({ type }) => type)).to.deep.equal(['JobEnqueued', 'JobEnqueued']);
  });

  it('tells the callback of what was pushed lazily and could not be written', async () => {
    const told: string[] = [];
    const group = lazyGroup((error) => told.push(error.message));
    group.lazyPush({ type: 'a' });
    await site.pool.query(`DROP SCHEMA "${site.schema}" CASCADE`);
    await ledger.close();
    expect(told).to.have.length(1);
    expect(told[0]).to.match(/^a job was not written: /);
  });

  it('tells the callback of what is pushed lazily behind it', async () => {
    const told: string[] = [];
    const factory = promises.jobQueueGroupFactory({
      ledgers: { default: ledger },
      lazy: { everyMs: AN_HOUR, onUnwritten: (error) => told.push(error.message) },
    });
    await ledger.close();
    factory.group('w').lazyPush({ type: 'a' });
    await factory.flush();
    expect(told).to.deep.equal([
      'a job was not written: the ledger is closed; open it again with openLedger',
    ]);
  });

  it('lets the runners that work on it end what they run, and writes what that has pushed', async () => {
    const group = lazyGroup();
    const begun = gate();
    const handler = defineJob({
      type: 'slow',
      run: async () => {
        begun.open();
        await Promise.resolve();
        group.lazyPush({ type: 'last' });
      },
    });
    const { jobId } = await ledger.promises.enqueue({ type: 'slow' });
    const work = ledger.work({ handlers: [handler] });
    await begun.opened;
    await ledger.close();
    expect(await work.done).to.include({ succeeded: 1 });
    expect((await stateOf(site, jobId))._tag).to.equal('Succeeded');
    expect((await everyEvent(site)).filter(({ type }) => type === 'JobEnqueued')).to.have.length(2);
  });
});
