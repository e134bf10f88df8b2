/** What operators decided about queues. A missing wiki or type means all of them. */
import * as t from 'io-ts';
import { QueueSettings } from './settings.js';

const scope = t.partial({ wiki: t.string, type: t.string });

export const QueuePaused = t.intersection([scope, t.type({ why: t.string })]);
export const QueueResumed = t.intersection([scope, t.type({ why: t.string })]);
/** The settings from now on, whole: what is missing is set no more. */
export const QueueConfigured = t.intersection([scope, QueueSettings]);

export const queueEventCodecs = { QueuePaused, QueueResumed, QueueConfigured } as const;

type Codecs = typeof queueEventCodecs;
export type QueueEvent = {
  [T in keyof Codecs]: { readonly type: T; readonly data: t.TypeOf<Codecs[T]> };
}[keyof Codecs];
