// Every command in every state: what is refused, and by which name; everything else is accepted.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { JobCommand } from '../../../domain/job/commands.js';
import { decide } from '../../../domain/job/decide.js';
import { explainRejection, type JobRejection } from '../../../domain/job/errors.js';
import { noJob, type JobState } from '../../../domain/job/state.js';
import {
  at,
  cancel,
  claim,
  deduplicated,
  enqueue,
  erase,
  expire,
  fail,
  importRow,
  refuse,
  release,
  requeue,
  start,
  succeed,
  suppress,
} from '../../support/given-commands.js';
import { after, stateAfter } from '../../support/job-specification.js';

const late = at(100);

const commands: readonly JobCommand[] = [
  enqueue(),
  importRow(),
  suppress(),
  claim({ now: late }),
  start(),
  succeed(),
  fail(),
  refuse(),
  release(),
  expire(),
  cancel(),
  requeue(),
  erase(),
];

const states: Readonly<Record<JobState['_tag'], JobState>> = {
  None: noJob,
  Waiting: stateAfter(after(enqueue())),
  Claimed: stateAfter(after(enqueue(), claim())),
  Running: stateAfter(after(enqueue(), claim(), start())),
  Succeeded: stateAfter(after(enqueue(), claim(), start(), succeed())),
  Abandoned: stateAfter(after(enqueue(), claim(), refuse())),
  Cancelled: stateAfter(after(enqueue(), cancel())),
  Superseded: stateAfter(
    after(enqueue({ dedup: deduplicated }), claim({ executedLater: { jobId: 'job-2' } })),
  ),
};

type Answer = JobRejection['_tag'] | '';

// In the order of the commands above; '' is accepted.
const ended = (requeued: Answer): readonly Answer[] => [
  ...(['AlreadyEnqueued', 'AlreadyEnqueued', 'NotASurvivor', 'NotWaiting'] as const),
  ...(['LeaseLost', 'LeaseLost', 'LeaseLost', 'LeaseLost', 'LeaseLost', 'LeaseLost'] as const),
  ...(['HasEnded', requeued, ''] as const),
];

const answers: Readonly<Record<JobState['_tag'], readonly Answer[]>> = {
  None: ['', '', ...Array.from({ length: 11 }, () => 'NoSuchJob' as const)],
  Waiting: [
    ...(['AlreadyEnqueued', 'AlreadyEnqueued', '', ''] as const),
    ...(['LeaseLost', 'LeaseLost', 'LeaseLost', 'LeaseLost', 'LeaseLost', 'LeaseLost'] as const),
    ...(['', 'NotStopped', ''] as const),
  ],
  Claimed: [
    ...(['AlreadyEnqueued', 'AlreadyEnqueued', 'NotASurvivor', 'NotWaiting'] as const),
    ...(['', 'NotStarted', 'NotStarted', '', '', ''] as const),
    ...(['', 'NotStopped', ''] as const),
  ],
  Running: [
    ...(['AlreadyEnqueued', 'AlreadyEnqueued', 'NotASurvivor', 'NotWaiting'] as const),
    ...(['AlreadyStarted', '', '', 'AlreadyStarted', '', ''] as const),
    ...(['', 'NotStopped', ''] as const),
  ],
  Succeeded: ended('NotStopped'),
  Abandoned: ended(''),
  Cancelled: ended(''),
  Superseded: ended('NotStopped'),
};

describe('decide', () => {
  for (const [name, state] of Object.entries(states)) {
    it(`has an answer to every command to a job that is ${name}`, () => {
      expect(state._tag).to.equal(name);
      const given = commands.map((command) => decide(command, state));
      expect(given.map((decision) => (E.isLeft(decision) ? decision.left._tag : ''))).to.deep.equal(
        answers[state._tag],
      );
    });
  }

  it('explains every rejection in a sentence that needs no knowledge of the program', () => {
    const rejections: readonly JobRejection[] = Object.values(states).flatMap((state) =>
      commands.flatMap((command) => {
        const decision = decide(command, state);
        return E.isLeft(decision) ? [decision.left] : [];
      }),
    );
    const others: readonly JobRejection[] = [
      { _tag: 'NotDue', notBefore: late },
      { _tag: 'LeaseHeld', until: late },
      { _tag: 'LeaseLost', held: 'token-1', current: 'token-2' },
    ];
    for (const rejection of [...rejections, ...others]) {
      expect(explainRejection(rejection), rejection._tag).to.match(/^(the|there) [^{}]+$/);
    }
  });
});
