import { expect } from 'chai';
import { enqueued, historyOf, isIn, stateOf, testLedger, type TestLedger } from '../../support/ledger.js';
import { drained } from '../../support/runners.js';
import { claimed } from '../../support/claims.js';
import { commandLine, type Said } from '../cli/command-line.js';

const UNKNOWN = '01890000-0000-7000-8000-00000000ffff';

describe('the commands of operators', () => {
  let ledger: TestLedger;
  let jobledger: (...args: readonly string[]) => Promise<Said>;
  before(async () => {
    ledger = await testLedger();
    jobledger = commandLine({ JOBLEDGER_DATABASE_URL: ledger.url });
  });
  after(() => ledger.drop());

  const abandoned = async (type: string, count: number): Promise<string[]> => {
    const ids = await enqueued(ledger, ...Array.from({ length: count }, () => ({ type })));
    await drained(ledger, [{ type, retry: false, run: () => false }]);
    return ids;
  };

  it('cancels by UUID and by number, and tells who and why in explain', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'unwanted' });
    const state = await stateOf(ledger, id);
    const number = state._tag === 'None' ? '' : state.job.enqueued.number;
    const said = await jobledger('cancel', number, '--by', 'ann', '--reason', 'the page is gone');
    expect(said).to.deep.equal({ status: 0, stdout: `${id} is cancelled\n`, stderr: '' });
    expect((await jobledger('explain', id)).stdout).to.include('Cancelled by ann: the page is gone.');
    const again = await jobledger('cancel', id);
    expect(again).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: `jobledger: job ${id}: the job has ended: it is Cancelled\n`,
    });
  });

  it('retries one job, and answers in JSON', async () => {
    const [id = ''] = await abandoned('failing', 1);
    const said = await jobledger('retry', id, '--json');
    expect(JSON.parse(said.stdout)).to.deep.equal({ jobId: id, state: 'Waiting', revision: '5' });
    expect((await historyOf(ledger, id)).at(-1)?.metadata.by).to.match(/^operator/);
  });

  it('retries all abandoned jobs of a queue, up to a limit', async () => {
    const ids = await abandoned('all', 4);
    expect((await jobledger('retry', '--type', 'all', '--limit', '1')).stdout).to.equal(
      '1 abandoned job is ready again\n',
    );
    const rest = await jobledger('retry', '--type', 'all', '--wiki', 'default', '--json');
    expect(JSON.parse(rest.stdout)).to.deep.equal({ retried: 3, passedOver: 0 });
    expect(await isIn(ledger, 'Waiting', ...ids)).to.equal(true);
  });

  it('gives a claim back', async () => {
    const [id = ''] = await enqueued(ledger, { type: 'held' });
    await claimed(ledger, id);
    const said = await jobledger('release', id, '--reason', 'its runner hangs');
    expect(said).to.deep.equal({ status: 0, stdout: `${id} is ready again\n`, stderr: '' });
    expect((await jobledger('release', id)).stderr).to.equal(
      `jobledger: job ${id}: the job is Waiting; there is no claim to give back\n`,
    );
  });

  it('says so where there is no such job, and where it is not said which is meant', async () => {
    for (const name of ['retry', 'cancel', 'release']) {
      expect(await jobledger(name, UNKNOWN)).to.deep.equal({
        status: 1,
        stdout: '',
        stderr: `jobledger: there is no job ${UNKNOWN} in this ledger\n`,
      });
    }
    expect((await jobledger('retry')).status).to.equal(2);
    expect((await jobledger('retry', UNKNOWN, '--type', 'x')).status).to.equal(2);
  });

  it('replay says so where there is no stream of that name', async () => {
    expect(await jobledger('replay', '--stream', `job-${UNKNOWN}`)).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: `jobledger: there is no stream job-${UNKNOWN} in this ledger\n`,
    });
  });
});
