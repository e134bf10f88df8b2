// Random commands, in any order, with current, old and foreign tokens: what holds whatever is asked of a job.
import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { decodeEvent } from '../../../domain/events.js';
import type { JobEvent } from '../../../domain/job/events.js';
import { evolve } from '../../../domain/job/evolve.js';
import { hasEnded, noJob, type JobState } from '../../../domain/job/state.js';
import { currentVersion } from '../../../domain/upcast.js';
import { eventsOf, story, type Step } from '../../support/arbitraries.js';

const RUNS = { numRuns: 300 };

const check = (judge: (steps: readonly Step[]) => void): void => {
  fc.assert(fc.property(story(), judge), RUNS);
};

/** +1 where an event opens a claim, −1 where it closes the one that stands. */
const claimsOpened = (event: JobEvent): number => {
  switch (event.type) {
    case 'JobClaimed':
      return 1;
    case 'AttemptSucceeded':
    case 'RetryScheduled':
    case 'JobReleased':
    case 'JobAbandoned':
      return -1;
    case 'JobCancelled':
      return event.data.from === 'Waiting' ? 0 : -1;
    case 'JobErased':
      return event.data.from === 'Claimed' || event.data.from === 'Running' ? -1 : 0;
    default:
      return 0;
  }
};

const isOver = (state: JobState): boolean => state._tag !== 'None' && hasEnded(state);

describe('whatever is asked of a job', () => {
  it('never has two claims at a time', () => {
    check((steps) => {
      let open = 0;
      for (const event of eventsOf(steps)) {
        open += claimsOpened(event);
        expect(open).to.be.within(0, 1);
      }
    });
  });

  it('starts no more attempts than the limit in force allows', () => {
    check((steps) => {
      for (const { after } of steps) {
        if (after._tag === 'Running') expect(after.job.attempts).to.be.at.most(after.job.retry.maxAttempts);
      }
    });
  });

  it('never schedules a retry that the limit would not allow to start', () => {
    check((steps) => {
      for (const { command, decision, after } of steps) {
        if (command._tag === 'FailAttempt' && E.isRight(decision) && after._tag === 'Waiting')
          expect(after.job.attempts).to.be.below(after.job.retry.maxAttempts);
      }
    });
  });

  it('has nothing behind its end but making ready again and erasing', () => {
    check((steps) => {
      for (const { command, before, decision } of steps) {
        if (!isOver(before) || E.isLeft(decision)) continue;
        expect(command._tag).to.be.oneOf(['RequeueJob', 'EraseJob']);
        if (command._tag === 'RequeueJob') expect(before._tag).to.be.oneOf(['Abandoned', 'Cancelled']);
      }
    });
  });

  it('takes a report only with the current token', () => {
    check((steps) => {
      for (const { command, before, decision } of steps) {
        if (!('token' in command) || command._tag === 'ClaimJob' || before._tag === 'None') continue;
        const current =
          before._tag === 'Claimed' || before._tag === 'Running' ? before.claim.token : undefined;
        if (current !== command.token)
          expect(decision).to.deep.equal(E.left({ _tag: 'LeaseLost', held: command.token, current }));
      }
    });
  });

  it('accepts in the fold every event that was decided, and counts them', () => {
    check((steps) => {
      let state: JobState = noJob;
      for (const [index, event] of eventsOf(steps).entries()) {
        const next: ReturnType<typeof evolve> = evolve(state, event);
        expect(E.isRight(next), `${event.type} in ${state._tag}`).to.equal(true);
        if (E.isRight(next)) state = next.right;
        expect(state._tag !== 'None' && state.revision).to.equal(BigInt(index));
      }
      expect(state).to.deep.equal(steps.at(-1)?.after);
    });
  });

  it('names in every event that moves the job the state it leaves', () => {
    check((steps) => {
      let state: JobState = noJob;
      for (const event of eventsOf(steps)) {
        if ('from' in event.data) expect(event.data.from).to.equal(state._tag);
        const next = evolve(state, event);
        if (E.isRight(next)) state = next.right;
      }
    });
  });

  it('gives events that come back from JSON as they went', () => {
    check((steps) => {
      for (const event of eventsOf(steps)) {
        const data: unknown = JSON.parse(JSON.stringify(event.data));
        const metadata = {
          schemaVersion: currentVersion(event.type),
          correlationId: 'c',
          causationId: 'c',
          by: 'test',
          occurredAt: '2026-03-01T04:00:00.000Z',
        };
        expect(decodeEvent({ type: event.type, data, metadata })).to.deep.equal(E.right(event));
      }
    });
  });

  it('is the same again from the same events: deciding changes nothing by itself', () => {
    check((steps) => {
      for (const { before, decision, after } of steps) {
        if (E.isLeft(decision)) expect(after).to.equal(before);
      }
    });
  });

  it('leads to every state and every event', () => {
    const drawn = fc.sample(story(), { numRuns: 600, seed: 20_260_301 });
    const states = new Set(drawn.flatMap((steps) => steps.map(({ after }) => after._tag)));
    const events = new Set(drawn.flatMap((steps) => eventsOf(steps).map(({ type }) => type)));
    expect([...states]).to.have.members([
      'Waiting',
      'Claimed',
      'Running',
      'Succeeded',
      'Abandoned',
      'Cancelled',
      'Superseded',
    ]);
    expect(events.size).to.equal(14);
  });
});
