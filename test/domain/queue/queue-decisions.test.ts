// Pausing, resuming and configuring: given what was decided, when a command comes, then events or a refusal.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { decideQueue, type QueueCommand } from '../../../domain/queue/decide.js';
import type { QueueEvent } from '../../../domain/queue/events.js';
import { evolveQueue } from '../../../domain/queue/fold.js';
import type { SettingChanges } from '../../../domain/queue/settings.js';
import { untouchedQueue } from '../../../domain/queue/state.js';

const scope = { wiki: 'enwiki', type: 'sendMail' };
const pause: QueueCommand = { _tag: 'PauseQueue', scope, why: 'the mail server moves' };
const resume: QueueCommand = { _tag: 'ResumeQueue', scope, why: 'it has moved' };
const configure = (changes: SettingChanges): QueueCommand => ({ _tag: 'ConfigureQueue', scope, changes });

const decided = (...commands: readonly QueueCommand[]) => {
  let state = untouchedQueue;
  let last: ReturnType<typeof decideQueue> = E.right([]);
  for (const command of commands) {
    last = decideQueue(command, state);
    if (E.isRight(last)) state = last.right.reduce(evolveQueue, state);
  }
  return { last, state };
};

const events = (...commands: readonly QueueCommand[]): readonly QueueEvent[] | string => {
  const { last } = decided(...commands);
  return E.isRight(last) ? last.right : last.left._tag;
};

describe('decisions about a queue', () => {
  it('pause it, with the reason', () => {
    expect(events(pause)).to.deep.equal([
      { type: 'QueuePaused', data: { ...scope, why: 'the mail server moves' } },
    ]);
  });

  it('do not pause it twice, and resume only what is paused', () => {
    expect(events(pause, pause)).to.equal('AlreadyPaused');
    expect(events(resume)).to.equal('NotPaused');
    expect(events(pause, resume)).to.deep.equal([
      { type: 'QueueResumed', data: { ...scope, why: 'it has moved' } },
    ]);
    expect(events(pause, resume, pause)).to.have.lengthOf(1);
  });

  it('name no wiki or type where they hold for all of them', () => {
    const everywhere = { ...pause, scope: { wiki: undefined, type: 'sendMail' } };
    expect(events(everywhere)).to.deep.equal([
      { type: 'QueuePaused', data: { type: 'sendMail', why: 'the mail server moves' } },
    ]);
  });

  it('carry all settings from then on: named ones changed, others kept, null ones taken back', () => {
    const first = configure({ class: 'low', weight: 3, running: 10, perSecond: 2.5 });
    const then = configure({ weight: 5, perSecond: null, order: 'random' });
    expect(events(first, then)).to.deep.equal([
      {
        type: 'QueueConfigured',
        data: { ...scope, class: 'low', weight: 5, order: 'random', limits: { running: 10 } },
      },
    ]);
    expect(
      events(first, configure({ class: null, weight: null, running: null, perSecond: null })),
    ).to.deep.equal([{ type: 'QueueConfigured', data: scope }]);
  });

  it('write nothing where nothing changes', () => {
    expect(events(configure({ weight: null }))).to.equal('NothingChanges');
    expect(events(configure({ running: 4 }), configure({ running: 4 }))).to.equal('NothingChanges');
  });

  it('leave a pause alone when it is configured, and the settings when it is paused', () => {
    const { state } = decided(configure({ class: 'high' }), pause, configure({ weight: 2 }));
    expect(state).to.deep.equal({
      revision: 2n,
      paused: { why: 'the mail server moves' },
      settings: { class: 'high', weight: 2 },
    });
  });

  const refused: readonly (readonly [SettingChanges, string])[] = [
    [{ weight: 0 }, 'weight'],
    [{ weight: 1.5 }, 'weight'],
    [{ running: 0 }, 'running'],
    [{ perSecond: 0 }, 'perSecond'],
    [{ itemsPerSecond: Number.NaN }, 'itemsPerSecond'],
  ];
  for (const [changes, path] of refused) {
    it(`refuse ${JSON.stringify(changes)} for its ${path}`, () => {
      const { last } = decided(configure(changes));
      expect(last).to.have.property('left').that.includes({ _tag: 'InvalidQueue', path });
    });
  }

  it('refuse names that no queue can have', () => {
    expect(events({ ...pause, scope: { wiki: undefined, type: 'a@-@b' } })).to.equal('InvalidQueue');
    expect(events({ ...pause, scope: { wiki: '', type: undefined } })).to.equal('InvalidQueue');
  });
});
