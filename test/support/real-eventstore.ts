// A real EventStoreDB: the one that the tests' own variable names, or one in a container where the machine can run it. It is theirs to
// write to: every test takes a ledger of a new name.
import { randomBytes } from 'node:crypto';
import { containers } from './containers.js';

export const newLedgerName = (): string => `test${randomBytes(6).toString('hex')}`;

export interface RealEventStore {
  readonly name: string;
  readonly url: () => Promise<string>;
}

const IMAGE = 'eventstore/eventstore:24.10';

const named = (): string | undefined => {
  const url = process.env['JOBLEDGER_TEST_EVENTSTORE_URL'] || undefined;
  if (url === undefined) {
    process.stdout.write(
      'tests on a real EventStoreDB by its URL: skipped, JOBLEDGER_TEST_EVENTSTORE_URL is not set\n',
    );
  }
  return url;
};

const find = async (): Promise<RealEventStore | undefined> => {
  const url = named();
  if (url !== undefined) return { name: 'a real EventStoreDB', url: () => Promise.resolve(url) };
  const runtime = await containers();
  if (runtime === undefined) return undefined;
  let started: Promise<string> | undefined;
  return { name: 'EventStoreDB in a container', url: () => (started ??= runtime.eventStore(IMAGE)) };
};

let found: Promise<RealEventStore | undefined> | undefined;

/** Undefined, and a line for each says so, where there is neither. */
export const realEventStore = (): Promise<RealEventStore | undefined> => (found ??= find());
