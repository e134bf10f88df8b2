// The embedded PostgreSQL in its everyday life: first start, sharing, stopping.
import { createServer } from 'node:net';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { embeddedStatus, startEmbedded, stopEmbedded, type Started } from '../../adapters/embedded/index.js';
import { ask, removeHome, start, startInProcess, temporaryHome } from '../support/embedded-home.js';

const asRoot = process.getuid?.() === 0;

describe('the embedded PostgreSQL', () => {
  let home: string;
  let first: Started;
  const lines: string[] = [];

  before(async () => {
    home = await temporaryHome();
    first = await start(home, lines);
  });

  after(() => removeHome(home));

  it('tells that the first start takes a while', () => {
    expect(first.started).to.equal(true);
    expect(lines[0]).to.match(/^starting PostgreSQL for the first time/);
  });

  it('gives a durable UTF-8 database in UTC, for this machine alone', async () => {
    const names = ['fsync', 'synchronous_commit', 'TimeZone', 'listen_addresses', 'unix_socket_directories'];
    const settings = names.map((name) => `current_setting('${name}')`).join(', ');
    const sql = `SELECT current_user, current_database(), ${settings}, encoding::text, datcollate
                 FROM pg_database WHERE datname = current_database()`;
    const expected = ['jobledger', 'jobledger', 'on', 'on', 'UTC', '127.0.0.1', '', '6', 'C'];
    expect(await ask(first.url, sql)).to.deep.equal(expected);
  });

  it('lets nobody in without the password, which only its owner can read', async () => {
    const url = new URL(first.url);
    url.password = 'guessed';
    const refusal: unknown = await ask(url.href, 'SELECT 1').catch((cause: unknown) => cause);
    expect(refusal).to.have.property('code', '28P01');
    const { mode } = await stat(join(home, 'postgres', 'password'));
    expect(mode & 0o777).to.equal(0o600);
  });

  it('finds a running server at once and leaves it as it is', async () => {
    const quiet: string[] = [];
    const again = await start(home, quiet);
    expect(again).to.deep.equal({ ...first, started: false });
    expect(quiet).to.deep.equal([]);
  });

  it('tells its status without starting anything', async () => {
    const { started: _, ...running } = first;
    expect(await embeddedStatus(home)()).to.deep.equal(E.right({ running: true, ...running }));
    const elsewhere = join(home, 'nothing-here');
    expect(await embeddedStatus(elsewhere)()).to.deep.equal(E.right({ running: false }));
    expect(await stopEmbedded(elsewhere)()).to.deep.equal(E.right('not-running'));
    expect(await readdir(home)).to.not.include('nothing-here');
  });

  it('keeps its data and its port over a stop', async () => {
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    expect(await stopEmbedded(home)()).to.deep.equal(E.right('stopped'));
    expect(await stopEmbedded(home)()).to.deep.equal(E.right('not-running'));
    const again = await start(home);
    expect(again.port).to.equal(first.port);
    expect(await ask(again.url, 'SELECT answer FROM kept')).to.deep.equal([42]);
  });

  it('takes another port when its own is taken', async () => {
    await stopEmbedded(home)();
    const squatter = createServer();
    await new Promise<void>((resolve) => {
      squatter.listen(first.port, '127.0.0.1', resolve);
    });
    try {
      const moved = await start(home);
      expect(moved.port).to.not.equal(first.port);
      expect(await ask(moved.url, 'SELECT answer FROM kept')).to.deep.equal([42]);
    } finally {
      squatter.close();
    }
  });

  it('says so where no folder can be made, instead of trying for ever', async function () {
    if (process.platform !== 'linux') {
      process.stderr.write('skipped: /proc is a folder of Linux\n');
      this.skip();
    }
    const outcome = await startEmbedded('/proc/jobledger/home', () => undefined)();
    expect(E.isLeft(outcome) && outcome.left.message).to.match(/cannot use the home folder \/proc.*ENOENT/);
  });

  it('says in a sentence why a home cannot be used', async () => {
    const path = join(home, 'a-file');
    await writeFile(path, '');
    const outcome = await startEmbedded(path, () => undefined)();
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('HomeUnusable');
    expect(E.isLeft(outcome) && outcome.left.message).to.match(
      /cannot use the home folder .*a-file \(ENOTDIR.*--home/,
    );
  });
});

describe('the embedded PostgreSQL, started by several processes', () => {
  let home: string;

  before(async () => {
    home = await temporaryHome();
  });

  afterEach(() => stopEmbedded(home)());

  after(() => removeHome(home));

  it('is initialised and started by one of them and found by all', async () => {
    const processes = Array.from({ length: 5 }, () => startInProcess(home));
    const answers = await Promise.all(
      processes.map(async ({ firstLine }) => JSON.parse(await firstLine).right),
    );
    expect(answers.filter(({ started }) => started)).to.have.lengthOf(1);
    expect(new Set(answers.map(({ pid, url }) => `${pid} ${url}`)).size).to.equal(1);
    expect(await readdir(join(home, 'postgres', 'lock'))).to.deep.equal([]);
    await Promise.all(processes.map(({ closed }) => closed));
  });

  it('holds none of the descriptors of the process that started it', async () => {
    const starter = startInProcess(home);
    const { url } = JSON.parse(await starter.firstLine).right;
    await starter.closed;
    expect(await ask(url, 'SELECT 1')).to.deep.equal([1]);
  });

  it('outlives an interrupt of the whole process group that started it', async () => {
    const starter = startInProcess(home, 'linger');
    const { url } = JSON.parse(await starter.firstLine).right;
    process.kill(-Number(starter.child.pid), 'SIGINT');
    await starter.closed;
    expect(await ask(url, 'SELECT 1')).to.deep.equal([1]);
  });
});

describe('the embedded PostgreSQL in a home that only root can enter', () => {
  let folder: string;

  before(async function () {
    if (!asRoot) {
      process.stderr.write('skipped: a home of root needs root\n');
      this.skip();
    }
    folder = await temporaryHome();
  });

  after(async () => {
    if (folder === undefined) return;
    await removeHome(join(folder, 'home'));
    await rm(folder, { recursive: true });
  });

  it('keeps its data where its user can enter, and says so in home', async () => {
    const home = join(folder, 'home');
    await mkdir(home, { mode: 0o700 });
    const lines: string[] = [];
    const { url } = await start(home, lines);
    const { base } = JSON.parse(await readFile(join(home, 'postgres', 'location.json'), 'utf8'));
    expect(lines[0]).to.include(`its data are kept in ${base}`);
    expect(await ask(url, 'SHOW data_directory')).to.deep.equal([join(base, 'data')]);
    expect((await stat(home)).mode & 0o777).to.equal(0o700);
    expect((await start(home)).started).to.equal(false);
  });
});
