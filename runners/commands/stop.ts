/** `stop`: ends the embedded PostgreSQL. */
import * as E from 'fp-ts/lib/Either.js';
import { stopEmbedded } from '../../adapters/embedded/index.js';
import type { CliCommand, CommandContext } from './command.js';
import { done, failedOutside, type Outcome } from './outcome.js';

const stopIt = async ({ config, out, json }: CommandContext): Promise<Outcome> => {
  const answer = (stopped: boolean, words: string): Promise<boolean> =>
    json ? out.json({ stopped }) : out.line(words);
  if (config.databaseUrl !== undefined) {
    await answer(
      false,
      'nothing to stop: the ledger is on a PostgreSQL server of your own, which is left as it is',
    );
    return done;
  }
  const stopped = await stopEmbedded(config.home)();
  if (E.isLeft(stopped)) return failedOutside(stopped.left.message);
  await (stopped.right === 'stopped'
    ? answer(true, 'the embedded PostgreSQL has stopped')
    : answer(false, `nothing to stop: no embedded PostgreSQL is running in ${config.home}`));
  return done;
};

export const stop: CliCommand = {
  name: 'stop',
  summary: 'stop the embedded PostgreSQL',
  examples: ['jobledger stop'],
  register: (command, run) => command.action(() => run(stopIt)),
};
