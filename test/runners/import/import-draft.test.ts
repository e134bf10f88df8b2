import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { JobRow } from '../../../adapters/mediawiki/index.js';
import { importDraft, type ImportDraft } from '../../../runners/import/import-draft.js';

const now = '2026-03-01T12:00:00.000Z';

const row = (parts: Partial<JobRow> = {}): JobRow => ({
  line: 2,
  job_id: 7n,
  job_cmd: 'refreshLinks',
  job_namespace: 10,
  job_title: 'Infobox',
  job_timestamp: '2026-03-01T11:00:00Z',
  job_params: Buffer.from('a:2:{s:9:"namespace";i:10;s:5:"title";s:7:"Infobox";}'),
  job_random: 5,
  job_attempts: 0,
  job_token: '',
  job_token_timestamp: null,
  job_sha1: 'p42glrsl783wj55io7lxhmhxf0e5db5',
  ...parts,
});

const terms = { wiki: 'enwiki', claimTtlSeconds: 3_600, now };

const drafted = (parts: Partial<JobRow> = {}): ImportDraft => {
  const draft = importDraft(row(parts), terms);
  if (E.isLeft(draft)) throw new Error(draft.left);
  return draft.right;
};

const withParams = (php: string | Buffer): ImportDraft => drafted({ job_params: Buffer.from(php) });

const flaw = (parts: Partial<JobRow>): string => {
  const draft = importDraft(row(parts), terms);
  return E.isLeft(draft) ? draft.left : 'was taken';
};

describe('a row of a job table as a job', () => {
  it('has an id that follows from wiki, job_id, times, random and hash, and from nothing else', () => {
    const { jobId } = drafted();
    expect(drafted({ job_attempts: 2, line: 9 }).jobId).to.equal(jobId);
    const others = [{ job_id: 8n }, { job_timestamp: null }, { job_random: 6 }, { job_sha1: '' }].map(
      (parts) => drafted(parts).jobId,
    );
    expect(new Set([jobId, ...others])).to.have.property('size', 5);
    const elsewhere = importDraft(row(), { ...terms, wiki: 'dewiki' });
    expect(E.isRight(elsewhere) && elsewhere.right.jobId).to.not.equal(jobId);
  });

  it('keeps namespace and title of the columns, and the params with what they say themselves', () => {
    const { job } = drafted();
    expect(job).to.include({ wiki: 'enwiki', type: 'refreshLinks', namespace: 10, title: 'Infobox' });
    expect(job.params).to.deep.equal({ namespace: 10, title: 'Infobox' });
    expect(job.dedup).to.deep.equal({ ignoreDuplicates: false, sha1: row().job_sha1 });
  });

  it('was enqueued when the row says so, or now where it does not say', () => {
    expect(drafted().job.enqueuedAt).to.equal('2026-03-01T11:00:00.000Z');
    const { job } = drafted({ job_timestamp: null });
    expect(job.enqueuedAt).to.equal(now);
    expect(job.imported).to.not.have.property('timestamp');
  });

  it('gets its hash computed where the old layout had none', () => {
    const { job } = drafted({ job_sha1: '' });
    expect(job.dedup.sha1).to.match(/^[0-9a-z]{31}$/);
    expect(job.imported).to.include({ sha1: '' });
  });

  it('is due when its release timestamp says, in either of the notations', () => {
    const due = (value: string) => withParams(`a:1:{s:19:"jobReleaseTimestamp";${value}}`).job.notBefore;
    expect(due('i:1796036400;')).to.equal('2026-11-30T11:00:00.000Z');
    expect(due('s:10:"1796036400";')).to.equal('2026-11-30T11:00:00.000Z');
    expect(due('s:14:"20261130110000";')).to.equal('2026-11-30T11:00:00.000Z');
    expect(due('s:5:"later";')).to.equal(undefined);
    expect(due('N;')).to.equal(undefined);
  });

  it('belongs to the family of its root, and remembers the request it came from', () => {
    const { job } = withParams(
      'a:3:{s:16:"rootJobSignature";s:3:"abc";s:16:"rootJobTimestamp";s:14:"20261130110000";s:9:"requestId";s:2:"r1";}',
    );
    expect(job.root).to.deep.equal({ signature: 'abc', timestamp: '20261130110000', isSelf: false });
    expect(job.requestId).to.equal('r1');
  });

  it('keeps its bytes as text where PostgreSQL can hold them, else as base64', () => {
    const plain = 'a:1:{s:1:"a";s:2:"ü";}';
    expect(withParams(plain).job.imported).to.include({ params: plain });
    for (const bytes of [
      Buffer.from('a:1:{s:1:"a";s:1:"\0";}'),
      Buffer.from('613a313a7b733a313a2261223b733a313a22ff223b7d', 'hex'),
    ]) {
      const { job } = withParams(bytes);
      expect(job.imported).to.include({ paramsBase64: bytes.toString('base64') });
      expect(job.imported).to.not.have.property('params');
      expect(JSON.stringify(job.params)).to.match(/^\{"a":"data:application\/octet-stream;base64,[^"]+"\}$/);
    }
  });

  it('stays claimed with its own token until its time there would have run out', () => {
    const claimed = {
      job_token: 'a'.repeat(32),
      job_token_timestamp: '2026-03-01T11:30:00Z',
      job_attempts: 1,
    };
    const draft = drafted(claimed);
    expect(draft.isAbandoned).to.equal(false);
    expect(draft.claim).to.deep.equal({
      token: 'a'.repeat(32),
      claimedAt: '2026-03-01T11:30:00.000Z',
      leaseExpiresAt: '2026-03-01T12:30:00.000Z',
    });
    const strange = drafted({
      ...claimed,
      job_token: 'by hand',
      job_token_timestamp: '2026-03-01T11:30:00.123456Z',
    });
    expect(strange.claim).to.include({ token: 'by hand', claimedAt: '2026-03-01T11:30:00.123456Z' });
  });

  it('is abandoned where it was claimed for the third time, and gets one more try where it was given back', () => {
    const third = { job_attempts: 3, job_token: 'b'.repeat(32), job_token_timestamp: '2026-03-01T11:30:00Z' };
    expect(drafted(third)).to.include({ isAbandoned: true });
    const givenBack = drafted({ ...third, job_token: '' });
    expect(givenBack).to.include({ isAbandoned: false }).and.not.have.property('claim');
    expect(givenBack.job.retry.maxAttempts).to.equal(4);
    expect(drafted().job.retry.maxAttempts).to.equal(3);
  });

  it('is refused with the reason where its params or its names cannot be taken', () => {
    expect(flaw({ job_params: Buffer.from('a:1:{s:5:"pages"') })).to.match(
      /^job_params cannot be unserialised: .*\(byte \d+\)$/,
    );
    expect(flaw({ job_cmd: 'a\tb' })).to.equal('job_cmd holds a control character');
    expect(flaw({ job_title: 'a\nb' })).to.equal('job_title holds a control character');
  });
});
