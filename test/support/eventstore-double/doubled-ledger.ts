// A whole ledger whose history is on a protocol double.
import { testLedger, type TestLedger } from '../ledger.js';
import { eventStoreDouble, type DoubleOptions, type EventStoreDouble } from './index.js';
import { newLedgerName } from './real-server.js';

export interface DoubledLedger extends TestLedger {
  readonly double: EventStoreDouble;
  /** Where its history is, for other programs. */
  readonly address: { readonly eventstoreUrl: string; readonly ledger: string };
  /** What it told: drops of subscriptions. */
  readonly lines: readonly string[];
}

export const doubledLedger = async (options: DoubleOptions = {}): Promise<DoubledLedger> => {
  const double = await eventStoreDouble(options);
  const lines: string[] = [];
  const address = { eventstoreUrl: double.url, ledger: newLedgerName() };
  const report = (line: string): void => void lines.push(line);
  const ledger = await testLedger('jobledger', { ...address, report });
  return {
    ...ledger,
    double,
    address,
    lines,
    drop: async () => {
      await ledger.drop();
      double.stop();
    },
  };
};
