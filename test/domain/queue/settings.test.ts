import { expect } from 'chai';
import { pausesInForce, settingsInForce, widerPauses } from '../../../domain/queue/settings.js';

const everywhere = undefined;

describe('settings in force', () => {
  it('come from the narrowest scope that has them, each by itself', () => {
    const of = settingsInForce([
      { scope: { wiki: everywhere, type: everywhere }, settings: { weight: 2, order: 'random' } },
      { scope: { wiki: 'enwiki', type: everywhere }, settings: { class: 'low', weight: 3 } },
      { scope: { wiki: everywhere, type: 'sendMail' }, settings: { class: 'high' } },
      { scope: { wiki: 'enwiki', type: 'sendMail' }, settings: { weight: 7 } },
    ]);
    expect(of({ wiki: 'enwiki', type: 'sendMail' })).to.deep.equal({
      class: 'high',
      weight: 7,
      order: 'random',
    });
    expect(of({ wiki: 'enwiki', type: 'null' })).to.deep.equal({ class: 'low', weight: 3, order: 'random' });
    expect(of({ wiki: 'dewiki', type: 'null' })).to.deep.equal({
      class: 'normal',
      weight: 2,
      order: 'random',
    });
  });

  it('are class normal, weight 1, order fifo where nothing is said', () => {
    expect(settingsInForce([])({ wiki: 'a', type: 'b' })).to.deep.equal({
      class: 'normal',
      weight: 1,
      order: 'fifo',
    });
  });
});

describe('pauses in force', () => {
  it('hold for every queue in their scope, and for no other', () => {
    const isPaused = pausesInForce([
      { wiki: 'enwiki', type: everywhere },
      { wiki: everywhere, type: 'sendMail' },
      { wiki: 'frwiki', type: 'null' },
    ]);
    const queues = [
      ['enwiki', 'null', true],
      ['dewiki', 'sendMail', true],
      ['frwiki', 'null', true],
      ['dewiki', 'null', false],
      ['frwiki', 'other', false],
    ] as const;
    for (const [wiki, type, expected] of queues) {
      expect(isPaused({ wiki, type }), `${wiki} ${type}`).to.equal(expected);
    }
    expect(pausesInForce([{ wiki: everywhere, type: everywhere }])({ wiki: 'a', type: 'b' })).to.equal(true);
  });

  it('of wider scopes hold on when a narrower one is lifted', () => {
    const pauses = [
      { wiki: 'enwiki', type: everywhere },
      { wiki: 'enwiki', type: 'null' },
      { wiki: everywhere, type: 'sendMail' },
    ];
    expect(widerPauses(pauses, { wiki: 'enwiki', type: 'null' })).to.deep.equal([pauses[0]]);
    expect(widerPauses(pauses, { wiki: everywhere, type: 'null' })).to.deep.equal([]);
  });
});
