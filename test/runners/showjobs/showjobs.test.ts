// The command beside what a real MediaWiki's showJobs.php printed of the same table.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { importJobs } from '../../../runners/import/import-jobs.js';
import { PG_COPY } from '../../adapters/mediawiki/dump-file.js';
import { right } from '../../support/ledger-database.js';
import { enqueued, testLedger, type TestLedger } from '../../support/ledger.js';
import { drained } from '../../support/runners.js';
import { commandLine, jsonLines } from '../cli/command-line.js';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../fixtures/mediawiki/${name}`, import.meta.url));
const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1);
/** Without the row's own number: here every job gets one of this ledger. */
const withoutId = (line: string): string => line.replace(/\(id=\d+,/, '(');

describe('showjobs', () => {
  describe('of the table of a real MediaWiki', () => {
    let ledger: TestLedger;
    before(async () => {
      ledger = await testLedger();
      await right(() =>
        importJobs(ledger, {
          path: PG_COPY,
          wiki: 'default',
          claimTtlSeconds: 3_600,
          onFault: () => undefined,
        }),
      );
    });
    after(() => ledger.drop());

    const shown = async (...args: readonly string[]): Promise<string> => {
      const said = await commandLine({ JOBLEDGER_DATABASE_URL: ledger.url })('showjobs', ...args);
      expect({ status: said.status, stderr: said.stderr }).to.deep.equal({ status: 0, stderr: '' });
      return said.stdout;
    };

    it('--group prints what it printed', async () => {
      const theirs = fixture('showJobs-group.pg.txt').toString();
      const types = linesOf(theirs).map((line) => line.split(':')[0]);
      const ours = linesOf(await shown('--group'));
      expect(ours.filter((line) => types.includes(line.split(':')[0])).join('\n')).to.equal(theirs.trimEnd());
      // It never shows a type that no class is registered for; here no job is hidden.
      const others = ours.filter((line) => !types.includes(line.split(':')[0]));
      expect(others).to.deep.equal(['noSuchJobType: 1 queued; 0 claimed (0 active, 0 abandoned); 0 delayed']);
    });

    it('prints the number of queued jobs, of all or of one type', async () => {
      const queued = linesOf(fixture('showJobs-group.pg.txt').toString()).map((line) =>
        Number(/: (\d+) queued/.exec(line)?.[1]),
      );
      const total = queued.reduce((sum, each) => sum + each, 0);
      expect(await shown()).to.equal(`${total + 1}\n`);
      expect(await shown('--type', 'htmlCacheUpdate')).to.equal('2603\n');
      expect(await shown('--type', 'unheardOf')).to.equal('0\n');
    });

    it('--list prints the lines that it printed', async () => {
      const theirs = linesOf(gunzipSync(fixture('showJobs-list.pg.first-300.txt.gz')).toString()).map(
        withoutId,
      );
      const ours = new Set(linesOf(await shown('--list')).map(withoutId));
      expect(theirs).to.have.lengthOf(300);
      expect(theirs.filter((line) => !ours.has(line))).to.deep.equal([]);
    });

    it('--list shows each job once, in the order of types, up to the limit', async () => {
      const all = linesOf(await shown('--list'));
      const counted = linesOf(await shown('--group')).flatMap((line) => {
        const [, queued, claimed] = /: (\d+) queued; (\d+) claimed/.exec(line) ?? [];
        return [Number(queued), Number(claimed)];
      });
      expect(all).to.have.lengthOf(counted.reduce((sum, each) => sum + each, 0));
      expect(linesOf(await shown('--list', '--limit', '5'))).to.deep.equal(all.slice(0, 5));
      const abandoned = linesOf(await shown('--list', '--status', 'abandoned'));
      expect(abandoned).to.have.lengthOf(3);
      expect(abandoned.every((line) => line.endsWith(' status=abandoned'))).to.equal(true);
      expect(linesOf(await shown('--list', '--type=sendMail', '--limit=2'))).to.have.lengthOf(1);
    });
  });

  describe('of jobs of our own', () => {
    let ledger: TestLedger;
    let jobledger: ReturnType<typeof commandLine>;
    before(async () => {
      ledger = await testLedger();
      jobledger = commandLine({ JOBLEDGER_DATABASE_URL: ledger.url });
      await enqueued(
        ledger,
        { type: 'mail', wiki: 'enwiki', params: { to: 'a@example.org' } },
        { type: 'mail', wiki: 'dewiki', notBefore: '2100-01-01T00:00:00Z' },
        { type: 'failing', wiki: 'enwiki' },
      );
      await drained(ledger, [{ type: 'failing', retry: false, run: () => false }]);
    });
    after(() => ledger.drop());

    it('tells waiting, delayed and abandoned ones apart', async () => {
      expect((await jobledger('showjobs', '--group')).stdout).to.equal(
        [
          'failing: 0 queued; 1 claimed (0 active, 1 abandoned); 0 delayed',
          'mail: 1 queued; 0 claimed (0 active, 0 abandoned); 1 delayed',
          '',
        ].join('\n'),
      );
      const { stdout } = await jobledger('showjobs', '--list');
      expect(linesOf(stdout).map((line) => line.replace(/\(.*\)/, '()'))).to.deep.equal([
        'failing Special: namespace=-1 title= () status=abandoned',
        'mail Special: to=a@example.org namespace=-1 title= () status=unclaimed',
        'mail Special: namespace=-1 title= () status=delayed',
      ]);
    });

    it('keeps to one wiki where it is told to', async () => {
      expect((await jobledger('showjobs', '--group', '--wiki', 'dewiki')).stdout).to.equal(
        'mail: 0 queued; 0 claimed (0 active, 0 abandoned); 1 delayed\n',
      );
      expect(linesOf((await jobledger('showjobs', '--list', '--wiki', 'enwiki')).stdout)).to.have.lengthOf(2);
    });

    it('answers in JSON', async () => {
      expect(JSON.parse((await jobledger('showjobs', '--json')).stdout)).to.deep.equal({ queued: 1 });
      expect(
        JSON.parse((await jobledger('showjobs', '--group', '--type', 'mail', '--json')).stdout),
      ).to.deep.equal([{ type: 'mail', queued: 1, claimed: 0, active: 0, abandoned: 0, delayed: 1 }]);
      const [first] = jsonLines((await jobledger('showjobs', '--list', '--type', 'mail', '--json')).stdout);
      expect(first).to.deep.include({
        type: 'mail',
        status: 'unclaimed',
        namespace: -1,
        params: { to: 'a@example.org' },
      });
    });

    it('says what it does not understand', async () => {
      const said = await jobledger('showjobs', '--list', '--status', 'abandond');
      expect(said.status).to.equal(2);
      expect(said.stderr).to.include('abandoned');
      expect((await jobledger('showjobs', '--limit', '3')).status).to.equal(2);
      expect((await jobledger('showjobs', '--group', '--list')).status).to.equal(2);
    });
  });
});
