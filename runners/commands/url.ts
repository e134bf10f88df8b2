/** `url`: where the ledger's PostgreSQL is, for psql and others. */
import type { CliCommand, CommandContext } from './command.js';
import { done, type Outcome } from './outcome.js';

const showUrl = ({ withLedger, out, json, config }: CommandContext): Promise<Outcome> =>
  withLedger('operator', async (ledger) => {
    const answer = { url: ledger.url, schema: config.schema, embedded: config.databaseUrl === undefined };
    await (json ? out.json(answer) : out.line(ledger.url));
    return done;
  });

export const url: CliCommand = {
  name: 'url',
  summary: 'show the URL of the database in use, for psql and others',
  examples: ['psql "$(jobledger url)"'],
  register: (command, run) => command.action(() => run(showUrl)),
};
