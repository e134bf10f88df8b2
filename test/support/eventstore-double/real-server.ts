// A real EventStoreDB, where the tests' own variable names one. It is theirs to write to: every test takes a ledger of a new name.
import { randomBytes } from 'node:crypto';

export const newLedgerName = (): string => `test${randomBytes(6).toString('hex')}`;

/** Undefined, and one line says so, where there is none. */
export const realServerUrl = (suite: string): string | undefined => {
  const url = process.env['JOBLEDGER_TEST_EVENTSTORE_URL'] || undefined;
  if (url === undefined) {
    process.stdout.write(
      `${suite} on a real EventStoreDB: skipped, JOBLEDGER_TEST_EVENTSTORE_URL is not set\n`,
    );
  }
  return url;
};
