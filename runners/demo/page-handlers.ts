/** What MediaWiki does behind an edit: links, caches and categories of the pages concerned. */
import * as t from 'io-ts';
import { defineJob, type HandledJob, type Handler } from '../define-job.js';
import type { Note } from './desk.js';

/** A root names a table of links, a leaf its pages: id → [namespace, title]. */
const Backlinks = t.partial({
  table: t.string,
  range: t.UnknownRecord,
  pages: t.record(t.string, t.tuple([t.number, t.string])),
});

const subjectOf = ({
  params: { pages, range, table },
  title = '',
}: HandledJob<t.TypeOf<typeof Backlinks>>): string => {
  if (pages !== undefined)
    return `${Object.values(pages)
      .map(([, name]) => name)
      .join(', ')} (uses ${title})`;
  if (range !== undefined) return `the rest of what ${table ?? ''} has of ${title}`;
  return table === undefined ? title : `everything that ${table} has of ${title}`;
};

const backlinks = (note: Note, type: string, what: string): Handler =>
  defineJob({
    type,
    params: Backlinks,
    ignoreDuplicates: true,
    run: (job) => note(`${type}.txt`, `${what} ${subjectOf(job)}`),
  });

const Redirect = t.type({ redirTitle: t.string, reason: t.string });
const PageId = t.type({ pageId: t.number });
const Deletion = t.type({ reason: t.string, wikiPageId: t.number });
const Revert = t.type({ revertId: t.number });

export const pageHandlers = (note: Note): readonly Handler[] => [
  backlinks(note, 'refreshLinks', 'links refreshed:'),
  backlinks(note, 'refreshLinksPrioritized', 'links refreshed first of all:'),
  backlinks(note, 'refreshLinksDynamic', 'links refreshed by the way:'),
  backlinks(note, 'htmlCacheUpdate', 'cached page dropped:'),
  defineJob({
    type: 'categoryMembershipChange',
    params: PageId,
    ignoreDuplicates: true,
    run: ({ params: { pageId }, title }) =>
      note('categories.txt', `page ${pageId} (${title ?? ''}) put on the lists of its categories`),
  }),
  defineJob({
    type: 'deleteLinks',
    params: PageId,
    ignoreDuplicates: true,
    run: ({ params: { pageId } }) => note('deletions.txt', `links of page ${pageId} deleted`),
  }),
  defineJob({
    type: 'deletePage',
    params: Deletion,
    run: ({ params: { reason, wikiPageId }, title }) =>
      note('deletions.txt', `page ${wikiPageId} (${title ?? ''}) deleted: ${reason}`),
  }),
  defineJob({
    type: 'fixDoubleRedirect',
    params: Redirect,
    run: ({ params: { redirTitle }, title }) =>
      note('redirects.txt', `${redirTitle} now leads to ${title ?? ''} at once`),
  }),
  defineJob({
    type: 'revertedTagUpdate',
    params: Revert,
    run: ({ params: { revertId } }) =>
      note('reverts.txt', `edits undone by revision ${revertId} marked as reverted`),
  }),
];
