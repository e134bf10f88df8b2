import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { PG_COPY } from '../../adapters/mediawiki/dump-file.js';
import { column, testLedger, type TestLedger } from '../../support/ledger.js';
import { commandLine } from '../cli/command-line.js';

const dump = gunzipSync(readFileSync(PG_COPY)).toString('latin1').split('\n');
const firstRow = dump.findIndex((line) => line.startsWith('COPY ')) + 1;
/** The dump with its first rows only, and its proper end. */
const whole = [...dump.slice(0, firstRow + 5), ...dump.slice(dump.indexOf('\\.', firstRow))].join('\n');
/** The same, broken off within its fourth row. */
const broken = [...dump.slice(0, firstRow + 3), dump[firstRow + 3]?.slice(0, 40)].join('\n');

describe('jobledger import', () => {
  let ledger: TestLedger;
  let folder: string;
  let jobledger: ReturnType<typeof commandLine>;
  before(async () => {
    ledger = await testLedger();
    folder = mkdtempSync(join(tmpdir(), 'jobledger-import-'));
    jobledger = commandLine({ JOBLEDGER_DATABASE_URL: ledger.url });
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await ledger.drop();
  });

  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, 'latin1');
    return path;
  };
  const jobsOf = (wiki: string) =>
    column(ledger, `SELECT count(*)::text FROM __schema__.event WHERE data->>'wiki' = $1`, wiki);

  it('says how many jobs came in, and the second time that they are here already', async () => {
    const path = file('whole.sql', whole);
    const first = await jobledger('import', path, '--wiki', 'whole');
    expect(first).to.deep.equal({ status: 0, stdout: `${path}: 5 jobs imported\n`, stderr: '' });
    const again = await jobledger('import', path, '--wiki', 'whole', '--json');
    expect(again).to.include({ status: 0, stderr: '' });
    const counts = { imported: 0, alreadyThere: 5, refused: 0, claimed: 0, abandoned: 0, isWhole: true };
    expect(JSON.parse(again.stdout)).to.deep.equal({ files: [{ file: path, ...counts }] });
    expect(await jobsOf('whole')).to.deep.equal(['5']);
  });

  it('names the line where a dump breaks off, keeps what stands before it, and completes it later', async () => {
    const path = file('broken.sql', broken);
    const { status, stdout, stderr } = await jobledger('import', path, '--wiki', 'broken');
    expect(status).to.equal(2);
    expect(stdout).to.equal(`${path}: 3 jobs imported\n`);
    const [fault = '', sentence, ...rest] = stderr.split('\n');
    expect(fault.startsWith(`${path}, line ${firstRow + 4}: `), fault).to.equal(true);
    expect(sentence).to.equal(
      `jobledger: ${path} could not be read to its end, as told above: the 3 jobs read before that are kept, ` +
        'and importing the whole file adds only the rest',
    );
    expect(rest).to.deep.equal(['']);
    const completed = await jobledger('import', file('whole.sql', whole), '--wiki', 'broken');
    expect(completed.stdout).to.match(/: 2 jobs imported; 3 were here already\n$/);
  });

  it('imports nothing where one of the files is missing or a name cannot be one', async () => {
    const path = file('whole.sql', whole);
    const missing = await jobledger('import', path, 'no/such.sql', '--wiki', 'missing');
    const why = 'jobledger: no/such.sql: there is no such file; nothing was imported\n';
    expect(missing).to.deep.equal({ status: 2, stdout: '', stderr: why });
    const unnamed = await jobledger('import', path, '--wiki', 'a\n');
    expect(unnamed).to.deep.equal({
      status: 2,
      stdout: '',
      stderr: 'jobledger: --wiki holds a control character\n',
    });
    expect(await jobsOf('missing')).to.deep.equal(['0']);
  });

  it('says what a file is that holds no job table', async () => {
    const path = file('letter.txt', 'Dear wiki, …');
    const { status, stderr } = await jobledger('import', path);
    expect(status).to.equal(2);
    expect(stderr.split('\n')[0]).to.equal(
      `${path}: not a job table as mysqldump, pg_dump, SQLite or \\copy … csv header writes it`,
    );
    expect(stderr.split('\n')[1]).to.equal(`jobledger: nothing could be read of ${path}, as told above`);
  });
});
