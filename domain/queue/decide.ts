/** Every rule about pausing, resuming and configuring queues, as a pure answer. */
import * as E from 'fp-ts/lib/Either.js';
import { defined } from '../defined.js';
import { storableText } from '../job/error-facts.js';
import { typeFlaw, wikiFlaw } from '../job/names.js';
import type { QueueEvent } from './events.js';
import type { Scope } from './scope.js';
import { changedSettings, settingFlaw, type SettingChanges } from './settings.js';
import type { QueueState } from './state.js';

export type QueueCommand =
  | { readonly _tag: 'PauseQueue'; readonly scope: Scope; readonly why: string }
  | { readonly _tag: 'ResumeQueue'; readonly scope: Scope; readonly why: string }
  | { readonly _tag: 'ConfigureQueue'; readonly scope: Scope; readonly changes: SettingChanges };

export type QueueRejection =
  | { readonly _tag: 'AlreadyPaused'; readonly why: string }
  | { readonly _tag: 'NotPaused' }
  /** The settings are those already. */
  | { readonly _tag: 'NothingChanges' }
  | { readonly _tag: 'InvalidQueue'; readonly path: string; readonly message: string };

type Decision = E.Either<QueueRejection, readonly QueueEvent[]>;

const invalid = (path: string, message: string): QueueRejection => ({ _tag: 'InvalidQueue', path, message });

const scopeFlaw = ({ wiki, type }: Scope): QueueRejection | undefined => {
  const wrongWiki = wiki === undefined ? undefined : wikiFlaw(wiki);
  if (wrongWiki !== undefined) return invalid('wiki', wrongWiki);
  const wrongType = type === undefined ? undefined : typeFlaw(type);
  return wrongType === undefined ? undefined : invalid('type', wrongType);
};

export const decideQueue = (command: QueueCommand, state: QueueState): Decision => {
  const flaw = scopeFlaw(command.scope);
  if (flaw !== undefined) return E.left(flaw);
  const scope = defined(command.scope);
  switch (command._tag) {
    case 'PauseQueue':
      return state.paused === undefined
        ? E.right([{ type: 'QueuePaused', data: { ...scope, why: storableText(command.why) } }])
        : E.left({ _tag: 'AlreadyPaused', why: state.paused.why });
    case 'ResumeQueue':
      return state.paused === undefined
        ? E.left({ _tag: 'NotPaused' })
        : E.right([{ type: 'QueueResumed', data: { ...scope, why: storableText(command.why) } }]);
    case 'ConfigureQueue':
      return configure(command.changes, scope, state);
  }
};

const configure = (changes: SettingChanges, scope: object, { settings }: QueueState): Decision => {
  const flaw = settingFlaw(changes);
  if (flaw !== undefined) return E.left(invalid(flaw.setting, flaw.message));
  const next = changedSettings(settings, changes);
  return JSON.stringify(next) === JSON.stringify(changedSettings(settings, {}))
    ? E.left({ _tag: 'NothingChanges' })
    : E.right([{ type: 'QueueConfigured', data: { ...scope, ...next } }]);
};
