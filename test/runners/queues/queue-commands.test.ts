// pause, resume and configure as an operator types them, and the tables and events behind them.
import { expect } from 'chai';
import { queueIdOf } from '../../../runners/queues/queue-control.js';
import { right } from '../../support/ledger-database.js';
import { column, testLedger, unequalTables, type TestLedger } from '../../support/ledger.js';
import { commandLine } from '../cli/command-line.js';

describe('the commands about queues', () => {
  let ledger: TestLedger;
  let jobledger: ReturnType<typeof commandLine>;
  before(async () => {
    ledger = await testLedger();
    jobledger = commandLine({ JOBLEDGER_DATABASE_URL: ledger.url });
  });
  after(() => ledger.drop());

  it('pause one queue, and say who did it and why in the event', async () => {
    const args = ['--wiki', 'enwiki', '--type', 'sendMail', '--reason', 'the server moves', '--by', 'ann'];
    expect(await jobledger('pause', ...args)).to.deep.equal({
      status: 0,
      stdout: 'sendMail on enwiki: paused; what is claimed already runs on\n',
      stderr: '',
    });
    const stream = `queue-${queueIdOf({ wiki: 'enwiki', type: 'sendMail' })}`;
    const [event] = await right(ledger.store.readStream(stream));
    expect(event?.type).to.equal('QueuePaused');
    expect(event?.data).to.deep.equal({ wiki: 'enwiki', type: 'sendMail', why: 'the server moves' });
    expect(event?.metadata.by).to.equal('ann');
  });

  it('answer no to a second pause and to a resume of what is not paused', async () => {
    const twice = await jobledger('pause', '--wiki', 'enwiki', '--type', 'sendMail', '--reason', 'again');
    expect(twice).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: 'jobledger: sendMail on enwiki: it is paused already: the server moves\n',
    });
    expect(await jobledger('resume', '--type', 'null')).to.include({
      status: 1,
      stderr: 'jobledger: null on every wiki: it is not paused\n',
    });
  });

  it('say when a resumed queue is held still by a wider pause', async () => {
    await jobledger('pause', '--wiki', 'enwiki', '--reason', 'read-only');
    const resumed = await jobledger('resume', '--wiki', 'enwiki', '--type', 'sendMail');
    expect(resumed.stdout).to.equal(
      'sendMail on enwiki: resumed, and held still by the pause of every type on enwiki\n',
    );
    expect((await jobledger('resume', '--wiki', 'enwiki', '--json')).stdout).to.equal(
      '{"wiki":"enwiki","paused":false}\n',
    );
  });

  it('configure a type, take settings back, and show what is set', async () => {
    await jobledger('pause', '--all', '--reason', 'x', '--by', 'ann');
    await jobledger(
      'configure',
      '--type',
      'refreshLinks',
      '--class',
      'low',
      '--running',
      '4',
      '--weight',
      '2',
    );
    await jobledger('configure', '--type', 'refreshLinks', '--weight', 'none', '--jobs-per-second', '2.5');
    const { stdout } = await jobledger('configure');
    expect(stdout).to.match(
      /^queues +class +weight +order +running +jobs\/s +items\/s +paused\nrefreshLinks on every wiki +low +- +- +4 +2.5 +- +-\nevery queue +- .* since .* by ann: x\n$/,
    );
    const shown = JSON.parse((await jobledger('configure', '--json')).stdout);
    expect(shown.settings).to.deep.equal([
      { scope: { type: 'refreshLinks' }, settings: { class: 'low', limits: { running: 4, perSecond: 2.5 } } },
    ]);
    await jobledger('resume', '--all');
  });

  it('tell a job that waits in explain what is paused, by whom, why and how to go on', async () => {
    await jobledger('enqueue', 'flaky');
    await jobledger('pause', '--type', 'flaky', '--reason', 'replicas behind', '--by', 'ann');
    await jobledger('configure', '--type', 'flaky', '--running', '3');
    const { stdout, stderr } = await jobledger('explain', '1');
    expect(stderr).to.equal('');
    expect(stdout).to.match(
      /but its type \(flaky on every wiki\) is paused, by ann since .*: replicas behind\.\nIt is not claimed until "jobledger resume --type flaky" lifts that pause\. .* Limits hold: for its type .* at most 3 running at once\.\n$/,
    );
    await jobledger('resume', '--type', 'flaky');
    await jobledger('configure', '--type', 'flaky', '--running', 'none');
    expect((await jobledger('explain', '1')).stdout).to.match(
      /It is waiting, and ready\.\nNext, .*of at most 5\.\n$/,
    );
  });

  it('keep no row of a scope that says nothing any more', async () => {
    await jobledger('configure', '--wiki', 'xwiki', '--class', 'high');
    await jobledger('configure', '--wiki', 'xwiki', '--class', 'none');
    expect(await column(ledger, `SELECT wiki FROM __schema__.queue WHERE wiki = 'xwiki'`)).to.deep.equal([]);
  });

  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['pause', '--reason', 'x'], /say which queues: --type, --wiki, both, or --all/],
    [['pause', '--all', '--type', 'a', '--reason', 'x'], /--all goes without/],
    [['pause', '--type', 'a'], /required option '--reason <text>'/],
    [
      ['pause', 'flaky', '--reason', 'x'],
      /Expected 0 arguments but got 1.*; a type is named by a flag: --type flaky; see "jobledger pause --help"/,
    ],
    [
      ['pause', 'flaky'],
      /required option '--reason <text>' not specified; a type is named by a flag: --type flaky;/,
    ],
    [['resume', 'two words'], /; a type is named by a flag: --type 'two words';/],
    [['configure', '--type', 'a'], /say what to set/],
    [['configure', '--class', 'low'], /say which queues/],
    [['configure', '--type', 'a', '--class', 'urgent'], /It is high, normal, low or none/],
    [['pause', '--type', 'a@-@b', '--reason', 'x'], /--type holds "@-@"/],
    [
      ['configure', '--type', 'a', '--jobs-per-second', '0'],
      /--jobs-per-second is not a number from 0\.001 to 1000000/,
    ],
    [['configure', '--type', 'a', '--items-per-second', '0'], /--items-per-second is not a number/],
    [['configure', '--type', 'a', '--running', '0'], /--running is not a whole number/],
  ];
  for (const [args, words] of refused) {
    it(`refuse "${args.join(' ')}" in a sentence`, async () => {
      const { status, stderr } = await jobledger(...args);
      expect(status).to.equal(2);
      expect(stderr).to.match(words);
    });
  }

  it('leave tables that agree with the history', async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
  });
});
