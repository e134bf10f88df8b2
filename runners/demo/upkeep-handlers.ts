/** The wiki's housekeeping: users, caches, thumbnails, and jobs that make jobs. */
import * as t from 'io-ts';
import type { JobSpecification } from '../../domain/job/specification.js';
import { defineJob, type Handler } from '../define-job.js';
import type { Note } from './desk.js';

const USERS = 'users.txt';

const Activity = t.type({ type: t.string, userid: t.number });
const User = t.type({ userId: t.number });
const Changes = t.type({ type: t.string });
const Thumbnail = t.type({ transformParams: t.type({ width: t.number }) });
const Purge = t.type({ urls: t.readonlyArray(t.string) });
const Nothing = t.type({ lives: t.number });
const Enqueue = t.type({
  jobsByDomain: t.record(
    t.string,
    t.readonlyArray(
      t.type({
        type: t.string,
        params: t.UnknownRecord,
        opts: t.partial({ removeDuplicates: t.boolean }),
      }),
    ),
  ),
});

class NobodyListens extends Error {
  override readonly name = 'NobodyListens';
}

const users = (note: Note): readonly Handler[] => [
  defineJob({
    type: 'activityUpdateJob',
    params: Activity,
    ignoreDuplicates: true,
    run: ({ params: { userid }, title }) => note(USERS, `user ${userid} has seen ${title ?? ''}`),
  }),
  defineJob({
    type: 'clearUserWatchlist',
    params: User,
    ignoreDuplicates: true,
    run: ({ params: { userId } }) => note(USERS, `watchlist of user ${userId} cleared`),
  }),
  defineJob({
    type: 'userOptionsUpdate',
    params: User,
    ignoreDuplicates: true,
    run: ({ params: { userId } }) => note(USERS, `options of user ${userId} updated`),
  }),
  defineJob({
    type: 'userEditCountInit',
    params: User,
    ignoreDuplicates: true,
    run: ({ params: { userId } }) => note(USERS, `edits of user ${userId} counted`),
  }),
];

const specificationOf = ({
  type,
  params,
  opts,
}: {
  type: string;
  params: Record<string, unknown>;
  opts: { removeDuplicates?: boolean };
}): JobSpecification => ({
  type,
  params,
  ignoreDuplicates: opts.removeDuplicates ?? false,
});

export const upkeepHandlers = (note: Note): readonly Handler[] => [
  ...users(note),
  defineJob({
    type: 'recentChangesUpdate',
    params: Changes,
    ignoreDuplicates: true,
    run: ({ params: { type } }) => note('recent-changes.txt', `recent changes: ${type}`),
  }),
  defineJob({
    type: 'ThumbnailRender',
    params: Thumbnail,
    retry: false,
    run: ({ params: { transformParams }, title }) =>
      note('thumbnails.txt', `${title ?? ''} at ${transformParams.width} pixels`),
  }),
  defineJob({
    type: 'cdnPurge',
    params: Purge,
    retry: { maxAttempts: 3, backoff: { kind: 'exponential', firstMs: 200 } },
    run: ({ params: { urls } }) => {
      throw new NobodyListens(
        `there is no cache in this demo that could be told to forget ${urls.join(', ')}`,
      );
    },
  }),
  defineJob({
    type: 'null',
    params: Nothing,
    run: ({ params: { lives } }, { spawn }) => {
      note('null.txt', `nothing done, ${lives} lives left`);
      if (lives > 1) spawn({ type: 'null', params: { lives: lives - 1 } });
    },
  }),
  defineJob({
    type: 'enqueue',
    params: Enqueue,
    run: ({ params: { jobsByDomain } }, { spawn }) => {
      for (const job of Object.values(jobsByDomain).flat()) {
        spawn(specificationOf(job));
        note('enqueued.txt', `a job of type ${job.type}`);
      }
    },
  }),
];
