import { expect } from 'chai';
import { jobProjection } from '../../projections/job-table.js';
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
  jobFacts,
  release,
  requeue,
  rootAt,
  rootParams,
  start,
  succeed,
  suppress,
} from '../support/given-commands.js';
import { jobUuid, rowsAfter, streamOf } from '../support/given-rows.js';
import { after } from '../support/job-specification.js';
import type { JobCommand } from '../../domain/job/commands.js';

const rowAfter = (...commands: readonly JobCommand[]) =>
  rowsAfter(jobProjection, streamOf(after(...commands)))[0];

const titled = { namespace: 10, title: 'Infobox', requestId: 'request-1' };

describe('the table job', () => {
  it('shows an enqueued job in the columns of MediaWiki, and ours behind them', () => {
    expect(rowAfter(enqueue({ ...titled, notBefore: at(60) }))).to.deep.equal({
      job_uuid: jobUuid(1),
      job_id: '7',
      job_cmd: 'refreshLinks',
      job_namespace: 10,
      job_title: 'Infobox',
      job_timestamp: at(0),
      job_params: 'a:3:{s:5:"pages";a:2:{i:0;i:1;i:1;i:2;}s:9:"namespace";i:10;s:5:"title";s:7:"Infobox";}',
      job_params_raw: null,
      job_random: 1,
      job_attempts: 0,
      job_token: '',
      job_token_timestamp: null,
      job_sha1: deduplicated.sha1,
      job_wiki: 'enwiki',
      job_revision: 0n,
      job_class: 'normal',
      job_priority: 0,
      job_release_timestamp: at(60),
      job_lease_expires: null,
      job_state: 'Waiting',
      job_root_signature: null,
      job_request_id: 'request-1',
    });
  });

  it('has namespace 0 and an empty title where there is no page, and none in the params, as MediaWiki has', () => {
    expect(rowAfter(enqueue({ params: {} }))).to.include({
      job_namespace: 0,
      job_title: '',
      job_params: 'a:0:{}',
    });
  });

  it('draws job_random from the id, within 31 bits', () => {
    const events = after(enqueue());
    const rows = [jobUuid(1), '0198c7a2-7d3e-7c1a-9f4e-0000ffffffff'].flatMap((id) =>
      rowsAfter(
        jobProjection,
        streamOf(events).map((event) => ({ ...event, stream: `job-${id}` })),
      ),
    );
    expect(rows.map(({ job_random }) => job_random)).to.deep.equal([1, 2_147_483_647]);
  });

  it('shows the claim while it lasts, and counts it', () => {
    const held = {
      job_attempts: 1,
      job_token: 'token-1',
      job_token_timestamp: at(2),
      job_lease_expires: at(32),
    };
    expect(rowAfter(enqueue(), claim())).to.include({ ...held, job_state: 'Claimed', job_revision: 1n });
    expect(rowAfter(enqueue(), claim(), start())).to.include({
      ...held,
      job_state: 'Running',
      job_revision: 2n,
    });
  });

  it('shows a retry with its due time and without a claim, the attempt still counted', () => {
    expect(rowAfter(enqueue(), claim(), start(), fail())).to.include({
      job_state: 'Waiting',
      job_attempts: 1,
      job_token: '',
      job_token_timestamp: null,
      job_lease_expires: null,
      job_release_timestamp: at(14),
      job_revision: 4n,
    });
    expect(rowAfter(enqueue(), claim(), expire())).to.include({ job_state: 'Waiting', job_attempts: 1 });
  });

  it('shows a claim given back as if it had never been', () => {
    expect(rowAfter(enqueue({ notBefore: at(1) }), claim(), release())).to.include({
      job_state: 'Waiting',
      job_attempts: 0,
      job_token: '',
      job_release_timestamp: null,
    });
  });

  it('keeps an abandoned job with its last token and time, as counts of MediaWiki need', () => {
    expect(rowAfter(enqueue(), claim(), start(), fail({ isRetryable: false }))).to.include({
      job_state: 'Abandoned',
      job_token: 'token-1',
      job_token_timestamp: at(2),
      job_attempts: 1,
    });
  });

  const gone: readonly (readonly [string, readonly JobCommand[]])[] = [
    ['has succeeded', [enqueue(), claim(), start(), succeed()]],
    ['was cancelled', [enqueue(), cancel()]],
    ['was superseded', [enqueue({ dedup: deduplicated }), claim({ executedLater: { jobId: 'job-2' } })]],
    ['was erased while it waited', [enqueue(), erase()]],
  ];
  for (const [how, commands] of gone) {
    it(`has no row of a job that ${how}`, () => {
      expect(rowAfter(...commands)).to.equal(undefined);
    });
  }

  it('shows what a survivor inherited', () => {
    const [early, late] = [rootAt('20260301040000'), rootAt('20260301050000')];
    const job = enqueue({
      ...titled,
      dedup: deduplicated,
      root: early,
      params: rootParams(early),
      notBefore: at(600),
    });
    const row = rowAfter(job, suppress({ root: late, class: 'high', priority: 3, notBefore: at(60) }));
    expect(row).to.include({
      job_class: 'high',
      job_priority: 3,
      job_release_timestamp: at(60),
      job_revision: 1n,
      job_root_signature: 'family-a',
    });
    expect(row?.['job_params']).to.equal(
      'a:5:{s:13:"rootJobIsSelf";b:1;s:16:"rootJobSignature";s:8:"family-a";s:16:"rootJobTimestamp";s:14:"20260301050000";s:9:"namespace";i:10;s:5:"title";s:7:"Infobox";}',
    );
  });

  it('has back a job made ready again: an abandoned one as it stands, a cancelled one whole', () => {
    const fresh = { job_state: 'Waiting', job_attempts: 0, job_token: '', job_release_timestamp: null };
    expect(rowAfter(enqueue(titled), claim(), start(), fail({ isRetryable: false }), requeue())).to.include({
      ...fresh,
      job_title: 'Infobox',
      job_revision: 5n,
    });
    expect(rowAfter(enqueue({ ...titled, notBefore: at(60) }), cancel(), requeue())).to.include({
      ...fresh,
      job_title: 'Infobox',
      job_revision: 2n,
    });
    const inherited = [suppress({ class: 'high', priority: 3 }), cancel(), requeue()];
    expect(rowAfter(enqueue(), ...inherited)).to.include({ job_class: 'high', job_priority: 3 });
  });

  it('holds no params of an abandoned job that was erased', () => {
    const row = rowAfter(
      enqueue({ params: { secret: 'plain' } }),
      claim(),
      start(),
      fail({ isRetryable: false }),
      erase(),
    );
    expect(row).to.include({
      job_params: '(the params were erased)',
      job_params_raw: null,
      job_state: 'Abandoned',
      job_revision: 5n,
    });
  });

  describe('of an imported row', () => {
    const facts = {
      random: 1_234_567_890,
      timestamp: at(-500),
      sha1: 'zzz',
      params: 'a:1:{s:1:"a";i:1;}',
    };

    it('shows its own bytes, number and times', () => {
      expect(rowAfter(importRow(facts))).to.include({
        job_params: facts.params,
        job_params_raw: null,
        job_random: facts.random,
        job_timestamp: at(-500),
        job_attempts: 0,
        job_token: '',
        job_token_timestamp: null,
      });
    });

    it('shows its own token, attempts and token time', () => {
      const held = { token: 'b'.repeat(32), claimedAt: at(-60), leaseExpiresAt: at(3_540) };
      const row = { ...facts, attempts: 3, token: held.token, tokenTimestamp: at(-60) };
      const shown = { job_attempts: 3, job_token: held.token, job_token_timestamp: at(-60) };
      expect(rowAfter(importRow(row, { claim: held }))).to.include({ ...shown, job_state: 'Claimed' });
      expect(rowAfter(importRow(row, { claim: held, isAbandoned: true }))).to.include({
        ...shown,
        job_state: 'Abandoned',
      });
    });

    it('keeps the token and its time of a row that was given back', () => {
      expect(rowAfter(importRow({ ...facts, attempts: 1, tokenTimestamp: at(-9) }))).to.include({
        job_attempts: 1,
        job_token: '',
        job_token_timestamp: at(-9),
      });
    });

    it('has null for a time that the row did not have', () => {
      expect(rowAfter(importRow({}))).to.include({ job_timestamp: null, job_token_timestamp: null });
    });

    it('puts bytes that a text cannot hold beside the text, which says so', () => {
      const note = '(params hold bytes that a text cannot: see job_params_raw)';
      expect(rowAfter(importRow({ paramsBase64: 'YQD/' }))).to.include({
        job_params: note,
        job_params_raw: '\\x6100ff',
      });
      expect(rowAfter(importRow({ params: 's:2:"é\u0000";' }))).to.include({
        job_params: note,
        job_params_raw: '\\x733a323a22c3a900223b',
      });
    });
  });

  it('counts the bytes of params written for PHP in UTF-8', () => {
    const row = rowAfter({ _tag: 'EnqueueJob', job: jobFacts({ params: { é: '漢字 😀' } }) });
    expect(row?.['job_params']).to.match(/^a:1:\{s:2:"é";s:11:"漢字 😀";/);
  });
});
