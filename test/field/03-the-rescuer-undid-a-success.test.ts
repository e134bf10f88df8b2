// The reaper reads a job, the runner finishes it, the reaper writes: its command is refused, since the stream has moved on.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { claimed } from '../support/claims.js';
import { expireClaims } from '../../runners/reaper.js';
import {
  act,
  column,
  enqueued,
  testLedger,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../support/ledger.js';

describe('field case 03: a reaper overtaken by the success it is about to undo', () => {
  let ledger: TestLedger;

  before(async () => {
    ledger = await testLedger();
  });
  after(() => ledger.drop());

  it('writes nothing, and the success stands', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'late' });
    const claim = await claimed(ledger, id, { leaseMs: 0 });
    await claim.start();
    let hooked = 0;
    const expired = await expireClaims(
      ledger.reaperPorts(() => undefined),
      {
        by: 'reaper',
        beforeAppend: async () => {
          hooked += 1;
          expect(E.isRight(await claim.succeed())).to.equal(true);
        },
      },
    );
    expect(hooked).to.equal(1);
    expect(expired).to.deep.equal(E.right(0));
    const story = ['JobEnqueued', 'JobClaimed', 'AttemptStarted', 'AttemptSucceeded'];
    expect(await typesOf(ledger, id)).to.deep.equal(story);
    expect(await unequalTables(ledger)).to.deep.equal([]);
    expect(await column(ledger, 'SELECT job_uuid::text FROM __schema__.job')).to.deep.equal([]);
    const executions = await column(ledger, 'SELECT is_success::text FROM __schema__.job_execution_log');
    expect(executions).to.deep.equal(['true']);
  });

  it('is the other way round where the reaper came first: the late success is refused', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'later' });
    const claim = await claimed(ledger, id, { leaseMs: 0 });
    await claim.start();
    const expired = await expireClaims(
      ledger.reaperPorts(() => undefined),
      { by: 'reaper' },
    );
    expect(expired).to.deep.equal(E.right(1));
    const late = await claim.succeed();
    expect(late).to.deep.equal(E.left({ _tag: 'LeaseLost', held: claim.token, current: undefined }));
    expect((await typesOf(ledger, id)).slice(-2)).to.deep.equal(['LeaseExpired', 'RetryScheduled']);
    expect(
      E.isLeft(
        await act(ledger, id, {
          _tag: 'ExpireLease',
          token: claim.token,
          now: ledger.clock.now(),
          random: 0,
        }),
      ),
    ).to.equal(true);
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
