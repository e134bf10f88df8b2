// What runners and producers look up: ready_job, duplicate and root_job, and claimed_job for the reaper.
import { expect } from 'chai';
import type { JobCommand } from '../../domain/job/commands.js';
import { claimedJob } from '../../projections/claimed-job.js';
import { duplicate } from '../../projections/duplicate.js';
import { catchUpProjections, inlineProjections, projectionNamed } from '../../projections/index.js';
import type { Projection } from '../../projections/projection.js';
import { readyJob } from '../../projections/ready-job.js';
import { rootJob } from '../../projections/root-job.js';
import { suppressedJob } from '../../projections/suppressed-job.js';
import {
  at,
  cancel,
  claim,
  deduplicated,
  enqueue,
  expire,
  fail,
  importRow,
  release,
  requeue,
  rootAt,
  start,
  succeed,
  suppress,
} from '../support/given-commands.js';
import { decidedAt, jobUuid, rowsAfter, streamOf } from '../support/given-rows.js';
import { after } from '../support/job-specification.js';

const rowOf =
  (projection: Projection) =>
  (...commands: readonly JobCommand[]) =>
    rowsAfter(projection, streamOf(after(...commands)))[0];

const job = jobUuid(1);

describe('the table ready_job', () => {
  const row = rowOf(readyJob);

  it('has what the pick orders by, and the revision that a claim is conditioned on', () => {
    expect(row(enqueue({ class: 'high', priority: 3, notBefore: at(60) }))).to.deep.equal({
      job,
      wiki: 'enwiki',
      type: 'refreshLinks',
      class: 0,
      priority: 3,
      number: '7',
      due: at(60),
      revision: 0n,
      since: at(60),
    });
  });

  it('follows its stream while the job waits on', () => {
    const delayed = enqueue({ notBefore: at(600) });
    expect(row(delayed, suppress({ notBefore: at(700) }))).to.include({ due: at(600), revision: 1n });
    expect(row(delayed, suppress({ class: 'high', priority: 9 }))).to.include({
      class: 0,
      priority: 9,
      due: at(1),
    });
  });

  it('goes with the claim, and is back with a retry, at its own number', () => {
    expect(row(enqueue(), claim())).to.equal(undefined);
    expect(row(enqueue(), claim(), start(), fail())).to.include({ number: '7', due: at(14), revision: 4n });
    expect(row(enqueue({ notBefore: at(1) }), claim(), release())).to.include({ due: null, revision: 2n });
  });

  it('tells since when the job is ready: its due time, else its return, else its enqueue', () => {
    expect(row(enqueue({ enqueuedAt: at(5) }))).to.include({ since: at(5) });
    expect(row(enqueue({ notBefore: at(600) }), suppress({ notBefore: at(30) }))).to.include({
      since: at(30),
    });
    expect(row(enqueue(), claim(), start(), fail())).to.include({ since: at(14) });
    expect(row(enqueue(), claim(), release())).to.include({ due: null, since: decidedAt(2) });
    expect(row(enqueue(), cancel(), requeue())).to.include({ due: null, since: decidedAt(2) });
  });
});

describe('the table claimed_job', () => {
  const row = rowOf(claimedJob);

  it('has the claim, and when its lease ends', () => {
    const held = { job, revision: 1n, token: 'token-1', runner: 'runner-1', lease_expires: at(32) };
    expect(row(enqueue(), claim())).to.deep.equal(held);
    expect(row(enqueue(), claim(), start())).to.deep.equal(held);
  });

  it('has imported claims too', () => {
    const held = { token: 'b'.repeat(32), claimedAt: at(-60), leaseExpiresAt: at(60) };
    expect(row(importRow({ attempts: 1 }, { claim: held }))).to.include({ lease_expires: at(60) });
  });

  it('has none that was given back, lost, reported or cancelled', () => {
    for (const command of [release(), expire(), succeed(), fail(), fail({ isRetryable: false }), cancel()]) {
      expect(row(enqueue(), claim(), start(), command), command._tag).to.equal(undefined);
    }
  });
});

describe('the table duplicate', () => {
  const row = rowOf(duplicate);
  const own = enqueue({ dedup: deduplicated });

  it('has a survivor until it is first claimed', () => {
    expect(row(own)).to.include({ sha1: deduplicated.sha1, is_survivor: true, enqueued_revision: 0n });
    expect(row(own, claim())).to.equal(undefined);
    expect(row(own, claim(), release())).to.include({
      is_survivor: false,
      enqueued_revision: 0n,
      revision: 2n,
    });
  });

  it('says where the successful attempt began, and under which root', () => {
    const root = rootAt('20260301040000');
    const executed = row(enqueue({ dedup: deduplicated, root }), claim(), start(), succeed());
    expect(executed).to.include({
      is_survivor: false,
      begun_revision: 2n,
      enqueued_revision: null,
      revision: null,
      root_timestamp: root.timestamp,
    });
  });

  it('counts a job made ready again as enqueued from then on', () => {
    expect(row(own, cancel(), requeue())).to.include({ is_survivor: false, enqueued_revision: 2n });
  });

  it('takes up a job whose handler ignores duplicates from its first return on', () => {
    const handlers = claim({ ignoreDuplicates: true });
    expect(row(enqueue())).to.equal(undefined);
    expect(row(enqueue(), handlers, release())).to.include({ is_survivor: false });
    expect(row(enqueue(), handlers, start(), succeed())).to.include({ begun_revision: 2n });
    expect(row(enqueue(), claim(), start(), succeed())).to.equal(undefined);
  });

  it('lets an imported row take part, but never as a survivor', () => {
    expect(row(importRow())).to.include({ is_survivor: false, enqueued_revision: 0n });
  });
});

describe('the table root_job', () => {
  const row = rowOf(rootJob);
  const root = enqueue({ dedup: deduplicated, root: rootAt('20260301040000') });

  it('has roots, not leaves nor jobs of no family', () => {
    expect(row(root)).to.deep.equal({
      job,
      wiki: 'enwiki',
      type: 'refreshLinks',
      signature: 'family-a',
      timestamp: '20260301040000',
      state: 'waiting',
    });
    expect(row(enqueue({ root: rootAt('20260301040000', false) }))).to.equal(undefined);
    expect(row(enqueue())).to.equal(undefined);
  });

  it('says whether the root has begun, and whether it has succeeded', () => {
    expect(row(root, claim())).to.include({ state: 'waiting' });
    expect(row(root, claim(), start())).to.include({ state: 'begun' });
    expect(row(root, claim(), start(), fail())).to.include({ state: 'begun' });
    expect(row(root, claim(), start(), succeed())).to.include({ state: 'succeeded' });
  });

  it('forgets a root that was stopped, until it is made ready again', () => {
    const failed = [root, claim(), start(), fail({ isRetryable: false })];
    expect(row(...failed)).to.equal(undefined);
    expect(row(root, cancel())).to.equal(undefined);
    expect(row(...failed, requeue())).to.include({ state: 'waiting', timestamp: '20260301040000' });
  });

  it('follows an inherited timestamp, through cancelling and making ready again', () => {
    const raised = suppress({ root: rootAt('20260301050000') });
    expect(row(root, raised)).to.include({ timestamp: '20260301050000' });
    expect(row(root, raised, cancel(), requeue())).to.include({ timestamp: '20260301050000' });
  });
});

describe('the table suppressed_job', () => {
  const own = jobUuid(9);

  it('names the survivor for an id that its producer chose', () => {
    const row = rowOf(suppressedJob);
    expect(row(enqueue(), suppress({ jobId: own }))).to.deep.equal({ job: own, survivor: job, revision: 1n });
    expect(row(enqueue(), suppress())).to.equal(undefined);
  });

  it('keeps it when the survivor has ended', () => {
    const rows = rowsAfter(
      suppressedJob,
      streamOf(after(enqueue(), suppress({ jobId: own }), claim(), start(), succeed())),
    );
    expect(rows).to.have.lengthOf(1);
  });
});

describe('the registry of projections', () => {
  it('drives inline what runners depend on, and leaves claimed_job to the reaper', () => {
    expect(inlineProjections.map(({ name }) => name)).to.deep.equal([
      'ready_job',
      'duplicate',
      'root_job',
      'suppressed_job',
      'queue',
      'pruned_job',
    ]);
    expect(catchUpProjections.map(({ name }) => name)).to.deep.equal([
      'job',
      'job_execution_log',
      'job_status_trace_log',
      'queue_summary',
    ]);
  });

  it('knows delayed_job as the other half of ready_job', () => {
    expect(projectionNamed('delayed_job')).to.equal(readyJob);
    expect(projectionNamed('claimed_job')).to.equal(claimedJob);
    expect(projectionNamed('nothing')).to.equal(undefined);
  });
});
