// given(history).when(command).then(events) — or .isRefused(rejection): the form of every test of the domain.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { decide, type Decision } from '../../domain/job/decide.js';
import type { JobRejection } from '../../domain/job/errors.js';
import type { JobEvent, JobEventOf, JobEventType } from '../../domain/job/events.js';
import { advanceJob } from '../../domain/job/fold.js';
import { noJob, type Job, type JobState } from '../../domain/job/state.js';

type Facts<D> = { readonly [K in keyof D]?: D[K] | undefined };

interface ExpectedEvent {
  readonly type: JobEventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An expected event: of its data, the members that are given; `undefined` says that the member is not there. */
export const event = <T extends JobEventType>(
  type: T,
  data: Facts<JobEventOf<T>['data']> = {},
): ExpectedEvent => ({ type, data: { ...data } });

const picked = (data: object, members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.keys(members).map((name) => [name, Reflect.get(data, name)]));

/** The events that these commands lead to, one after the other. One that is refused is a mistake of the test. */
export const after = (...commands: readonly JobCommand[]): readonly JobEvent[] =>
  commands.reduce<readonly JobEvent[]>((events, command) => {
    const decision = decide(command, stateAfter(events));
    if (E.isLeft(decision)) throw new Error(`${command._tag} was refused: ${decision.left._tag}`);
    return [...events, ...decision.right];
  }, []);

export const stateAfter = (events: readonly JobEvent[]): JobState => advanceJob(noJob, events);

const leavingCheck = (state: JobState) => ({
  /** The state that the events lead to, and what is known of the job in it. */
  leaving: (tag: JobState['_tag'], job: Facts<Job> = {}, more: Readonly<Record<string, unknown>> = {}) => {
    expect(state._tag).to.equal(tag);
    expect(picked(state, more)).to.deep.equal(more);
    if (state._tag !== 'None') expect(picked(state.job, job)).to.deep.equal(job);
  },
});

const answer = (past: readonly JobEvent[], decision: Decision) => ({
  then: (...expected: readonly ExpectedEvent[]) => {
    if (E.isLeft(decision)) expect.fail(`refused: ${JSON.stringify(decision.left)}`);
    const events = decision.right;
    expect(events.map(({ type }) => type)).to.deep.equal(expected.map(({ type }) => type));
    expected.forEach(({ type, data }, index) => {
      expect(picked(events[index]?.data ?? {}, data), type).to.deep.equal(data);
    });
    return leavingCheck(advanceJob(stateAfter(past), events));
  },
  isRefused: (rejection: JobRejection) => {
    expect(decision).to.deep.equal(E.left(rejection));
  },
});

export const given = (past: readonly JobEvent[]) => ({
  when: (command: JobCommand) => answer(past, decide(command, stateAfter(past))),
});

export const nothing: readonly JobEvent[] = [];
