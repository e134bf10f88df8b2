// How the program is used and misused: help, what is unknown, where the ledger is, and the process around it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Command } from 'commander';
import { allCommands } from '../../../runners/commands/index.js';
import { unexpected, withoutPasswords } from '../../../runners/commands/outcome.js';
import { runCli } from '../../../runners/cli/run-cli.js';
import { commandLine, program } from './command-line.js';
import { toldLedger, type ToldLedger } from './told-ledger.js';

/** A port that nothing listens at. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const commands = await allCommands();

describe('the command line', () => {
  const jobledger = commandLine({});

  it('lists every command with a line about it', async () => {
    const { status, stdout } = await jobledger('--help');
    expect(status).to.equal(0);
    for (const { name, summary } of commands) {
      expect(stdout, name).to.match(new RegExp(`^  ${name}( .*)? {2,}`, 'm'));
      expect(summary, name).to.match(/^[a-z][^\n]+[^.]$/);
    }
  });

  for (const { name } of commands) {
    it(`shows an example under ${name} --help`, async () => {
      const { status, stdout, stderr } = await jobledger(name, '--help');
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      expect(stdout).to.match(/\nExamples?:\n {2}\$ \S/);
      expect(stdout).to.include('--database-url <url>');
    });
  }

  const refused: readonly (readonly [readonly string[], string])[] = [
    [['queues', '--jsn'], `unknown option '--jsn' (Did you mean --json?); see "jobledger queues --help"`],
    [['rebiuld'], `unknown command 'rebiuld' (Did you mean rebuild?); see "jobledger --help"`],
    [
      ['job', ''],
      `command-argument value '' is invalid for argument 'id'. It is empty; see "jobledger job --help"`,
    ],
    [
      ['showjobs', '--type', 'a@-@'],
      `option '--type <type>' argument 'a@-@' is invalid. It holds "@-@", which separates the parts of a task id, or ends in its beginning; see "jobledger showjobs --help"`,
    ],
    [['job'], `missing required argument 'id'; see "jobledger job --help"`],
    [['queues', '--home'], `option '--home <folder>' argument missing; see "jobledger queues --help"`],
    [
      ['url', 'x'],
      `too many arguments for 'url'. Expected 0 arguments but got 1; see "jobledger url --help"`,
    ],
    [
      ['executions', '--since', '2026-11-01T01:30'],
      `option '--since <instant>' argument '2026-11-01T01:30' is invalid. It has to be ISO 8601 with an offset, such as 2026-11-01T01:30:00Z; see "jobledger executions --help"`,
    ],
    [
      ['replay', '--from', 'x'],
      `option '--from <position>' argument 'x' is invalid. It is a position: a whole number, as events carry it; see "jobledger replay --help"`,
    ],
  ];
  for (const { name, register } of commands) {
    const command = new Command();
    register(command, () => Promise.resolve());
    for (const { long, required } of command.options) {
      if (!required || long === undefined) continue;
      it(`refuses ${name} ${long} with nothing in it, by its name`, async () => {
        const { status, stderr } = await jobledger(name, long, ' ');
        expect(status).to.equal(2);
        expect(stderr).to.match(
          new RegExp(`^jobledger: option '${long} <[^>]+>' argument ' ' is invalid. It is empty; `),
        );
      });
    }
  }

  for (const [args, sentence] of refused) {
    it(`refuses "${args.join(' ')}" in one sentence`, async () => {
      expect(await jobledger(...args)).to.deep.equal({
        status: 2,
        stdout: '',
        stderr: `jobledger: ${sentence}\n`,
      });
    });
  }

  it('without a command shows what there is, on standard error', async () => {
    const { status, stdout, stderr } = await jobledger();
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    expect(stderr).to.match(
      /^Usage: jobledger[\s\S]*\njobledger: say which command; they are listed above\n$/,
    );
  });

  it('refuses a schema name that is none, before anything is connected to', async () => {
    for (const schema of ['x; DROP SCHEMA public', 'a"b', 'Jobs', 'pg_x']) {
      const said = await jobledger(
        'queues',
        '--schema',
        schema,
        '--database-url',
        'postgres://127.0.0.1:1/x',
      );
      expect(said.status, schema).to.equal(2);
      expect(said.stderr).to.include("cannot be the name of the ledger's schema");
    }
  });

  it('refuses what is no URL of a PostgreSQL', async () => {
    for (const url of ['nonsense', 'mysql://localhost/x']) {
      const said = await jobledger('queues', '--database-url', url);
      expect(said.status, url).to.equal(2);
      expect(said.stderr).to.match(
        /^jobledger: this is not the URL of a PostgreSQL database; it looks like .*\n$/,
      );
    }
  });

  it('takes where things are from flags before the environment before the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'jobledger-config-'));
    const port = await closedPort();
    const urlTo = (name: string): string => `postgres://127.0.0.1:${port}/${name}`;
    try {
      await writeFile(
        join(folder, 'jobledger.config.json'),
        JSON.stringify({ databaseUrl: urlTo('of_file') }),
      );
      const inFolder = async (env: Record<string, string>, ...args: readonly string[]): Promise<string> => {
        let said = '';
        const { stdout, stderr } = process;
        const tell = Object.create(stderr, {
          write: { value: (text: string) => (said += text) },
        }) as typeof stderr;
        const signal = (): AbortSignal => new AbortController().signal;
        const streams = { stdout, stderr: tell, now: Date.now, onStray: () => undefined };
        await runCli(args, { ...streams, env, cwd: folder, columns: 80, stopSignal: signal });
        return said;
      };
      const fromEnvironment = { JOBLEDGER_DATABASE_URL: urlTo('of_environment') };
      expect(await inFolder({}, 'queues')).to.include('"of_file"');
      expect(await inFolder(fromEnvironment, 'queues')).to.include('"of_environment"');
      expect(await inFolder(fromEnvironment, 'queues', '--database-url', urlTo('of_flag'))).to.include(
        '"of_flag"',
      );
      await writeFile(join(folder, 'jobledger.config.json'), '{"databaseUrI": "x"}');
      expect(await inFolder({}, 'queues')).to.equal(
        'jobledger: jobledger.config.json: unknown key "databaseUrI"; did you mean "databaseUrl"?\n',
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('never shows a password', () => {
    const url = 'postgres://me:s3cr:e@t%40@host:5432/db?password=other&x=1';
    expect(withoutPasswords(`cannot use ${url}`)).to.equal(
      'cannot use postgres://me:***@host:5432/db?password=***&x=1',
    );
  });
});

describe('an unexpected error', () => {
  it('is a sentence, and a stack trace only where that is asked for', () => {
    const error = new Error('no way');
    expect(unexpected(error, {})).to.deep.equal({
      status: 3,
      message: 'something unexpected happened: no way (JOBLEDGER_DEBUG=1 shows where)',
    });
    expect(unexpected(error, { JOBLEDGER_DEBUG: '1' }).message).to.match(/^Error: no way\n +at /);
    expect(unexpected('a text', { JOBLEDGER_DEBUG: '1' }).message).to.include('a text');
  });
});

describe('the program', () => {
  let told: ToldLedger;
  before(async () => {
    told = await toldLedger();
  });
  after(() => told.drop());

  it('answers on standard output alone, and ends with status 0', async () => {
    const said = await program(['queues', '--json'], { JOBLEDGER_DATABASE_URL: told.url });
    expect({ status: said.status, stderr: said.stderr }).to.deep.equal({ status: 0, stderr: '' });
    expect(JSON.parse(said.stdout)).to.have.length(2);
  });

  it('ends quietly when its reader has gone', async () => {
    const env = { JOBLEDGER_DATABASE_URL: told.url };
    const said = await program(['replay'], env, { firstLineOnly: true });
    expect({ status: said.status, stderr: said.stderr }).to.deep.equal({ status: 0, stderr: '' });
  });

  it('says in one sentence that the database is not there, without its password', async () => {
    const url = `postgres://me:s3cret@127.0.0.1:${await closedPort()}/jobs`;
    const said = await program(['queues', '--database-url', url], {});
    expect(said.status).to.equal(3);
    expect(said.stdout).to.equal('');
    expect(said.stderr).to.match(
      /^jobledger: cannot use PostgreSQL at 127\.0\.0\.1:\d+, database "jobs": nothing listens there; start the server, or correct host and port\n$/,
    );
  });

  it('exits with status 2 for an unknown flag, and suggests the nearest', async () => {
    const said = await program(['audit', '--jason'], {});
    expect(said.status).to.equal(2);
    expect(said.stderr).to.equal(
      `jobledger: unknown option '--jason' (Did you mean --json?); see "jobledger audit --help"\n`,
    );
  });
});
