import { at, claim, enqueue, jobFacts } from '../../support/given-commands.js';
import { after, event, given, nothing } from '../../support/job-specification.js';

describe('EnqueueJob', () => {
  it('begins a job that waits, with nothing attempted', () => {
    given(nothing)
      .when(enqueue())
      .then(event('JobEnqueued', jobFacts()))
      .leaving(
        'Waiting',
        { attempts: 0, claims: 0, losses: 0, suppressed: 0, everClaimed: false, task: undefined },
        { revision: 0n, notBefore: undefined },
      );
  });

  it('keeps a due time', () => {
    given(nothing)
      .when(enqueue({ notBefore: at(60) }))
      .then(event('JobEnqueued', { notBefore: at(60) }))
      .leaving('Waiting', {}, { notBefore: at(60) });
  });

  it('is refused where the job is there already, whatever became of it', () => {
    given(after(enqueue())).when(enqueue()).isRefused({ _tag: 'AlreadyEnqueued' });
  });

  it('has to come before everything else', () => {
    given(nothing).when(claim()).isRefused({ _tag: 'NoSuchJob' });
  });
});
