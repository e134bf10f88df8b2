// A ledger with a few jobs whose stories have fixed times, so that what commands say of them can be compared word for word.
import * as E from 'fp-ts/lib/Either.js';
import type { JobCommand } from '../../../domain/job/commands.js';
import { jobStream } from '../../../domain/ledger.js';
import type { StreamAppend } from '../../../domain/ports.js';
import { openLedger, type Ledger } from '../../../runners/ledger.js';
import {
  at,
  attemptId,
  claim,
  deduplicated,
  enqueue,
  fail,
  start,
  succeed,
} from '../../support/given-commands.js';
import { testDatabase } from '../../support/postgres.js';
import { storyOf } from '../reading/recorded-story.js';

export const ids = {
  failedTwice: '01890000-0000-7000-8000-000000000001',
  superseded: '01890000-0000-7000-8000-000000000002',
  waiting: '01890000-0000-7000-8000-000000000003',
  delayed: '01890000-0000-7000-8000-000000000004',
  running: '01890000-0000-7000-8000-000000000005',
} as const;

/** Claim and start of attempt n. Ids of attempts are unique in the ledger. */
const round = (n: number): readonly JobCommand[] => [
  claim({ token: `token-${n}`, now: at(n * 100) }),
  start({ token: `token-${n}`, now: at(n * 100 + 1), attemptId: attemptId(n) }),
];
const failed = (n: number): JobCommand => fail({ token: `token-${n}`, now: at(n * 100 + 2) });

const FAR_AWAY = '2100-01-01T00:00:00.000Z';

const stories: Readonly<Record<keyof typeof ids, readonly JobCommand[]>> = {
  failedTwice: [
    enqueue({ number: '1', namespace: 0, title: 'Main_Page' }),
    ...round(1),
    failed(1),
    ...round(2),
    failed(2),
    ...round(3),
    succeed({ token: 'token-3', now: at(302) }),
  ],
  superseded: [
    enqueue({ number: '2', dedup: deduplicated }),
    claim({ executedLater: { jobId: ids.failedTwice } }),
  ],
  waiting: [enqueue({ number: '3', params: { to: 'a@example.org' }, requestId: 'request-3' })],
  delayed: [enqueue({ number: '4', notBefore: FAR_AWAY })],
  running: [enqueue({ number: '5', type: 'sendMail' }), ...round(9)],
};

export interface ToldLedger {
  readonly url: string;
  readonly ledger: Ledger;
  readonly drop: () => Promise<void>;
}

const append = async (ledger: Ledger): Promise<void> => {
  const appends = Object.entries(ids).map(([name, id]): StreamAppend => {
    const events = storyOf(id, stories[name as keyof typeof ids]);
    return { stream: jobStream(id), expected: 'no-stream', events };
  });
  const outcomes = await ledger.store.append(appends)();
  if (E.isLeft(outcomes) || outcomes.right.some(E.isLeft)) throw new Error('the stories were not written');
};

export const toldLedger = async (): Promise<ToldLedger> => {
  const database = await testDatabase();
  const where = { databaseUrl: database.url, home: 'unused', schema: 'jobledger' };
  const opened = await openLedger({ ...where, by: 'test', report: () => undefined })();
  if (E.isLeft(opened)) throw new Error(opened.left.message);
  await append(opened.right);
  return {
    url: database.url,
    ledger: opened.right,
    drop: async () => {
      await opened.right.close();
      await database.drop();
    },
  };
};
