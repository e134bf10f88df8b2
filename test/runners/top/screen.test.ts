import { expect } from 'chai';
import type { QueueView } from '../../../projections/reading-desk.js';
import { progressInWords, screenOf } from '../../../runners/top/screen.js';
import type { RunningAttempt, TopSnapshot } from '../../../runners/top/snapshot.js';

const queue = (more: Partial<QueueView>): QueueView => ({
  wiki: 'enwiki',
  type: 'mail',
  ready: 0,
  delayed: 0,
  claimed: 0,
  abandoned: 0,
  succeeded: 0,
  failed: 0,
  suppressed: 0,
  superseded: 0,
  enqueued: 0,
  retried: 0,
  cancelled: 0,
  oldestReadyAt: null,
  lagSeconds: 0,
  ...more,
});

const attempt = (n: number): RunningAttempt => ({
  jobId: `job-${n}`,
  job_id: String(n),
  wiki: 'enwiki',
  type: 'mail',
  attempt: 1,
  runner: 'runner-1',
  host: 'host-1',
  instance: '4711',
  startedAt: '2026-03-01T04:00:00.000Z',
  seconds: 90,
  progress: 0.42,
  progressAt: '2026-03-01T04:01:00.000Z',
});

const snapshot = (more: Partial<TopSnapshot>): TopSnapshot => ({
  at: '2026-03-01T04:01:30.000Z',
  queues: [],
  runners: [],
  running: [],
  ...more,
});

const wide = { columns: 200, rows: 50 };

describe('the screen of top', () => {
  it('shows queues, runners, and what they run with age and progress', () => {
    const runner = {
      id: 'runner-1',
      host: 'host-1',
      startedAt: '2026-03-01T03:01:30.000Z',
      renewedUntil: '2026-03-01T04:01:50.000Z',
      isLost: false,
      progress: [],
    };
    const lines = screenOf(
      undefined,
      snapshot({
        queues: [queue({ ready: 7, claimed: 1, oldestReadyAt: '2026-03-01T04:01:00.000Z', lagSeconds: 30 })],
        runners: [runner, { ...runner, id: 'runner-2', isLost: true }],
        running: [attempt(1)],
      }),
      wide,
    );
    expect(lines).to.deep.equal([
      '2026-03-01 04:01:30.000 UTC: 1 runner, 1 running, 7 ready, 0 delayed, 0 abandoned',
      '',
      'wiki    type  ready  delayed  running  abandoned  done/s   lag',
      'enwiki  mail      7        0        1          0       -  30 s',
      '',
      'runner    host     up  state',
      'runner-1  host-1  1 h  alive',
      'runner-2  host-1  1 h  lost',
      '',
      'running for  type  wiki    job  attempt  runner       progress',
      ' 1 min 30 s  mail  enwiki    1        1  host-1 4711  42 %',
    ]);
  });

  it('tells how many jobs a second are done since the snapshot before', () => {
    const before = snapshot({ at: '2026-03-01T04:01:28.000Z', queues: [queue({ succeeded: 100 })] });
    const after = snapshot({ queues: [queue({ succeeded: 125, failed: 1, ready: 1 })] });
    expect(screenOf(before, after, wide)[3]).to.match(/ 13 +-$/);
  });

  it('keeps to the screen, and says how much it leaves out', () => {
    const running = Array.from({ length: 100 }, (_, n) => attempt(n));
    const queues = Array.from({ length: 100 }, (_, n) => queue({ type: `type-${n}`, ready: 1 }));
    const lines = screenOf(undefined, snapshot({ queues, running }), { columns: 40, rows: 24 });
    expect(lines.length).to.be.at.most(24);
    expect(Math.max(...lines.map(({ length }) => length))).to.be.at.most(40);
    expect(lines.filter((line) => /^… and \d+ more$/.test(line))).to.have.lengthOf(2);
  });

  it('says so where nothing goes on', () => {
    expect(screenOf(undefined, snapshot({}), wide).slice(1)).to.deep.equal([
      '',
      'nothing waits, runs or is abandoned',
      '',
      'no runner is there',
    ]);
  });

  it('shows progress as a share, a count, a text or JSON, harmless to the terminal', () => {
    expect(
      [0, 1, 0.5, 17, { done: 3, total: 9 }, 'page\u001b[2J 4', { a: 1 }, null].map(progressInWords),
    ).to.deep.equal(['0 %', '100 %', '50 %', '17', '3 of 9', 'page\\u001b[2J 4', '{"a":1}', '']);
  });
});
