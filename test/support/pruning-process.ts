// A prune as a process of its own that kills itself. Run: node --import tsx test/support/pruning-process.ts OPTIONS (JSON)
import * as E from 'fp-ts/lib/Either.js';
import { openLedger, type Ledger } from '../../runners/ledger.js';
import { pruneHistory } from '../../runners/pruning/prune-history.js';
import type { DyingPrune } from './pruning.js';

const { dies, path, limit, ...where } = JSON.parse(process.argv[2] ?? '{}') as DyingPrune;

const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

const opened = await openLedger({
  home: '',
  schema: 'jobledger',
  by: 'test',
  report: () => undefined,
  ...where,
})();
if (E.isLeft(opened)) throw new Error(opened.left.message);

/** Dies where the event would be appended, or when half of the streams are deleted. */
const dying = (ledger: Ledger): Ledger => ({
  ...ledger,
  store: {
    ...ledger.store,
    append: (appends) => {
      if (dies === 'aimed') die();
      return ledger.store.append(appends);
    },
  },
  deleteStreams:
    ledger.deleteStreams === undefined
      ? undefined
      : (streams) => async () => {
          if (dies !== 'half deleted') return ledger.deleteStreams?.(streams)() ?? E.right(undefined);
          await ledger.deleteStreams?.(streams.slice(0, Math.ceil(streams.length / 2)))();
          die();
          return E.right(undefined);
        },
});

const report = await pruneHistory(dying(opened.right), {
  before: '2999-01-01T00:00:00.000Z',
  path,
  limit,
  log: () => undefined,
  onStep: (step) => {
    if (step === dies) die();
  },
})();
process.stdout.write(JSON.stringify(report));
await opened.right.close();
