import { readFileSync } from 'node:fs';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { expect } from 'chai';
import { memoryEventStore } from '../../../adapters/memory/event-store.js';
import { exportLedger } from '../../../runners/transfer/export-ledger.js';
import { appendAll, right } from '../../support/ledger-database.js';
import { temporaryFolder } from '../../support/pruning.js';
import { enqueuedAppend } from '../../support/single-append.js';
import { uuidOf } from '../../support/random-appends.js';

describe('an export', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('is known by its first event, though the first page of the log is all pruned', async () => {
    const store = memoryEventStore({ now: () => '2026-03-01T00:00:00.000Z' });
    await appendAll(store, [enqueuedAppend(`job-${uuidOf(1, 1)}`), enqueuedAppend(`job-${uuidOf(1, 2)}`)]);
    const [pruned, kept] = (await right(store.readAll({ after: 0n }))).events;
    const readAll: typeof store.readAll = ({ after, upTo = after }) =>
      TE.right(
        after === 0n
          ? { events: [], upTo: pruned?.position ?? 0n }
          : { events: kept === undefined ? [] : [kept], upTo },
      );
    const path = folder.file('first-page-pruned');
    expect(await exportLedger({ readAll, end: store.end }, { path })).to.deep.equal({
      _tag: 'Right',
      right: 1,
    });
    const [head = ''] = readFileSync(path, 'utf8').split('\n');
    expect(JSON.parse(head)).to.deep.include({
      first: { stream: kept?.stream, revision: '0', id: kept?.id },
    });
  });
});
