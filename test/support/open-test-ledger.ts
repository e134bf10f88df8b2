// A ledger in a database of its own, put together as the commands have it.
import * as E from 'fp-ts/lib/Either.js';
import { openLedger, type Ledger } from '../../runners/ledger.js';
import { testDatabase } from './postgres.js';

export interface TestLedger extends Ledger {
  /** Closes it and drops its database. */
  readonly drop: () => Promise<void>;
}

export const openTestLedger = async (): Promise<TestLedger> => {
  const { url, drop } = await testDatabase();
  const report = (): void => undefined;
  const opened = await openLedger({
    databaseUrl: url,
    home: 'unused',
    schema: 'jobledger',
    by: 'test',
    report,
  })();
  if (E.isLeft(opened)) throw new Error(opened.left.message);
  const ledger = opened.right;
  return {
    ...ledger,
    drop: async () => {
      await ledger.close();
      await drop();
    },
  };
};
