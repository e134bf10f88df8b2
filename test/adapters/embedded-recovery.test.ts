// The embedded PostgreSQL after something was killed: its server, its starter, its machine.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { hydrate } from '../../adapters/embedded/binaries.js';
import { stopEmbedded } from '../../adapters/embedded/index.js';
import { acquire } from '../../adapters/embedded/lock.js';
import { knownPlace } from '../../adapters/embedded/place.js';
import { bootId, exists, processFacts } from '../../adapters/embedded/process-table.js';
import {
  ask,
  eventually,
  removeHome,
  start,
  startInProcess,
  temporaryHome,
} from '../support/embedded-home.js';

const noWish = { deadlineMs: 200, fulfilled: (): Promise<boolean> => Promise.resolve(false) };

const aliveProcess = (uid: number, gid: number): ChildProcess => {
  const account = process.getuid?.() === 0 ? { uid, gid } : {};
  return spawn('sleep', ['600'], { cwd: '/', stdio: 'ignore', ...account });
};

const end = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

describe('the embedded PostgreSQL, recovering', () => {
  let home: string;

  before(async () => {
    home = await temporaryHome();
    const { url } = await start(home);
    await ask(url, 'CREATE TABLE kept (n int)');
  });

  after(() => removeHome(home));

  it('starts again right after kill -9 of the server, with all that was committed', async () => {
    const { url, pid } = await start(home);
    await ask(url, 'INSERT INTO kept SELECT generate_series(1, 1000)');
    process.kill(pid, 'SIGKILL');
    await eventually('the server is gone', async () => (await processFacts(pid))?.zombie ?? true);
    const again = await start(home);
    expect(again).to.include({ started: true });
    expect(await ask(again.url, 'SELECT count(*)::int FROM kept')).to.deep.equal([1000]);
  });

  it('passes over a pid file whose number now belongs to another process of the same user', async () => {
    await start(home);
    await stopEmbedded(home)();
    const { data } = await knownPlace(home);
    const { uid, gid } = await stat(data);
    const other = aliveProcess(uid, gid);
    try {
      await writeFile(join(data, 'postmaster.pid'), `${other.pid}\n${data}\n0\n1\n\n127.0.0.1\n\nready   \n`);
      expect(await stopEmbedded(home)()).to.deep.equal(E.right('not-running'));
      expect((await start(home)).started).to.equal(true);
      expect(exists(Number(other.pid))).to.equal(true);
    } finally {
      await end(other);
    }
  });

  it('passes over the locks of a dead process, of a reused number and of another boot', async () => {
    await stopEmbedded(home)();
    const folder = join(home, 'postgres', 'lock');
    const dead = aliveProcess(0, 0);
    const boot = await bootId();
    const facts = await processFacts(process.pid);
    const names = [
      `${dead.pid}-${(await processFacts(Number(dead.pid)))?.startTime}-${boot}-aa`,
      `${process.pid}-1-${boot}-bb`,
      `${process.pid}-${facts?.startTime}-0123456789abcdef-cc`,
    ];
    await end(dead);
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
    expect((await start(home)).started).to.equal(true);
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('leaves nothing half made when its starter is killed during the first start', async () => {
    const fresh = await temporaryHome();
    try {
      const starter = startInProcess(fresh);
      const base = join(fresh, 'postgres');
      const drafts = async (): Promise<readonly string[]> =>
        (await readdir(base).catch(() => [])).filter((name) => name.startsWith('draft-'));
      await eventually('a draft of the data is there', async () => (await drafts()).length > 0);
      starter.child.kill('SIGKILL');
      const { url } = await start(fresh);
      expect(await ask(url, 'SELECT 1')).to.deep.equal([1]);
      expect(await drafts()).to.deep.equal([]);
    } finally {
      await removeHome(fresh);
    }
  });
});

describe('the lock of the embedded PostgreSQL', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jobledger-lock-'));
  });

  after(() => rm(folder, { recursive: true }));

  it('is held by one at a time and names its holder to those who wait too long', async () => {
    const held = await acquire(folder, noWish);
    const second = await acquire(folder, noWish);
    expect(E.isLeft(second) && second.left).to.include({ _tag: 'Busy', pid: process.pid });
    if (E.isRight(held) && held.right !== 'fulfilled') await held.right.release();
    expect(E.isRight(await acquire(folder, noWish))).to.equal(true);
  });

  it('never lets two in, however many ask at once', async () => {
    const crowded = join(folder, 'crowded');
    await mkdir(crowded);
    let inside = 0;
    let most = 0;
    const visit = async (): Promise<void> => {
      const held = await acquire(crowded, { ...noWish, deadlineMs: 30_000 });
      if (E.isLeft(held) || held.right === 'fulfilled') throw new Error('did not get the lock');
      inside += 1;
      most = Math.max(most, inside);
      await readFile('/dev/null');
      inside -= 1;
      await held.right.release();
    };
    await Promise.all(Array.from({ length: 12 }, visit));
    expect(most).to.equal(1);
  });
});

describe('the binaries of the embedded PostgreSQL', () => {
  it('get the symbolic links that npm could not pack, once', async () => {
    const root = await mkdtemp(join(tmpdir(), 'jobledger-natives-'));
    try {
      await mkdir(join(root, 'native'));
      const links = [{ source: 'native/libx.so.1.2', target: 'native/libx.so.1' }];
      await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links));
      await writeFile(join(root, 'native', 'libx.so.1.2'), '');
      expect(await hydrate(root)).to.equal('complete');
      expect(await hydrate(root)).to.equal('complete');
      expect(await readlink(join(root, 'native', 'libx.so.1'))).to.equal('libx.so.1.2');
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
