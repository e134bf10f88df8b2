/** Mail goes to a text file. The mail server of this demo puts off every notification at first, as real ones do with strangers. */
import * as t from 'io-ts';
import { defineJob, type Handler } from '../define-job.js';
import type { Note } from './desk.js';

const FILE = 'outbox.txt';
const Mail = t.type({ to: t.string, from: t.string, subj: t.string, body: t.string });
const Notification = t.type({
  editor: t.string,
  pageStatus: t.string,
  title: t.string,
  watchers: t.readonlyArray(t.number),
});

class PutOff extends Error {
  override readonly name = 'PutOff';
}

export const mailHandlers = (note: Note): readonly Handler[] => [
  defineJob({
    type: 'sendMail',
    params: Mail,
    run: ({ params: { to, from, subj, body } }) => note(FILE, `from ${from} to ${to}: ${subj}: ${body}`),
  }),
  defineJob({
    type: 'enotifNotify',
    params: Notification,
    retry: { maxAttempts: 3, backoff: { kind: 'fixed', firstMs: 400 } },
    run: ({ params: { editor, pageStatus, title, watchers } }, { attempt }) => {
      if (attempt === 1) throw new PutOff('450 the mail server does not know us yet; try again in a moment');
      note(FILE, `to ${watchers.length} watcher(s) of ${title}: ${editor} has ${pageStatus} it`);
    },
  }),
];
