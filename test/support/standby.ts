// A second PostgreSQL that follows the one of a home, synchronously, until it is promoted in its place.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { prepareBinaries } from '../../adapters/embedded/natives.js';
import { preparePlace } from '../../adapters/embedded/place.js';
import { run } from '../../adapters/embedded/run.js';
import { right } from './outcome.js';
import { until } from './waiting.js';

export interface Standby {
  readonly url: string;
  /** From now on it takes writes; what the first one had acknowledged is there. */
  readonly promote: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** Files may come and go meanwhile: the server's log of the backup makes them whole. */
const copied = async (from: string, to: string): Promise<void> => {
  await once(spawn('cp', ['-a', from, to], { stdio: 'ignore' }), 'close');
  await rm(join(to, 'postmaster.pid'), { force: true });
};

export const standbyOf = async (home: string, primaryUrl: string): Promise<Standby> => {
  const place = await right(() => preparePlace(home, () => undefined));
  const binaries = await right(() => prepareBinaries(home, place));
  const data = join(place.base, 'standby');
  const url = new URL(primaryUrl);
  const { username, password, port: primaryPort } = url;
  url.port = String(await freePort());
  const control = (...args: readonly string[]) =>
    run({
      binaries,
      name: 'pg_ctl',
      args: [...args, '-w', '-s', '-D', data],
      account: place.account,
      detached: true,
    });

  const primary = new pg.Client({ connectionString: primaryUrl });
  await primary.connect();
  primary.on('error', () => undefined);
  await primary.query(`SELECT pg_backup_start('standby', true)`);
  await copied(place.data, data);
  const { rows } = await primary.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
  const files = { backup_label: rows[0]?.labelfile ?? '', 'standby.signal': '' };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(data, name), text);
    if (place.account !== undefined) await chown(join(data, name), place.account.uid, place.account.gid);
  }
  const conninfo = `host=127.0.0.1 port=${primaryPort} user=${username} password=${password} application_name=standby`;
  await appendFile(
    join(data, 'postgresql.auto.conf'),
    `port = ${url.port}\nprimary_conninfo = '${conninfo}'\n`,
  );
  const started = await control('start', '-l', join(data, 'standby.log'));
  if (!started.ok) throw new Error(`${started.output}\n${await readFile(join(data, 'standby.log'), 'utf8')}`);
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await primary.query('SELECT pg_reload_conf()');
  await until('the standby follows', async () => {
    const answer = await primary.query<{ state: string }>(
      'SELECT sync_state AS state FROM pg_stat_replication',
    );
    return answer.rows[0]?.state === 'sync';
  });
  await primary.end();
  return {
    url: url.href,
    promote: async () => {
      const promoted = await control('promote');
      if (!promoted.ok) throw new Error(promoted.output);
    },
    end: async () => {
      await control('stop', '-m', 'immediate');
    },
  };
};
