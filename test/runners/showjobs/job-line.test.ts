import { expect } from 'chai';
import { jobLine, type ListedJob } from '../../../runners/showjobs/job-line.js';
import { inMediaWikisOrder } from '../../../runners/showjobs/job-types.js';
import { prefixedTitle } from '../../../runners/showjobs/prefixed-title.js';

const job = (more: Partial<ListedJob>): ListedJob => ({
  number: '7',
  type: 'null',
  namespace: 0,
  title: 'Page',
  timestamp: '2026-11-30 11:10:51+00',
  params: { namespace: 0, title: 'Page' },
  ...more,
});

describe('a job as a line of showJobs', () => {
  const values: readonly (readonly [string, ListedJob['params'], string])[] = [
    ['texts and numbers as they are', { a: 'x y', b: -7, c: 3.141569 }, 'a=x y b=-7 c=3.141569'],
    ['true as 1, false and null as nothing', { a: true, b: false, c: null }, 'a=1 b= c='],
    ['arrays as JSON', { a: { k: [1, 2.5, 'x'] }, b: [] }, 'a={"k":[1,2.5,"x"]} b=[]'],
    [
      'in JSON what is not ASCII or HTML takes as its own as escapes, and slashes as they are',
      { a: ['ü/<&>', '😀'] },
      'a=["\\u00fc/\\u003C\\u0026\\u003E","\\ud83d\\ude00"]',
    ],
    ['outside of JSON what is not ASCII as it is', { a: 'ünï 😀' }, 'a=ünï 😀'],
    [
      'ten entries of an array, of more only their number',
      { a: Array(10).fill(1), b: Array(11).fill(1) },
      `a=[${Array(10).fill(1).join(',')}] b=array(11)`,
    ],
    [
      'of a long entry only its type',
      { a: ['x'.repeat(600), { k: 'y'.repeat(600) }] },
      'a=["string(...)","array(...)"]',
    ],
    [
      'of a long text only its length',
      { a: 'ü'.repeat(1_025), b: 'x'.repeat(1_024) },
      `a=string(1025) b=${'x'.repeat(1_024)}`,
    ],
    ['line breaks and tabs as a space, so that a job is one line', { a: 'x\n\ty' }, 'a=x y'],
    ['what would steer a terminal as a visible escape', { a: '\u001b[31mred' }, 'a=\\u001b[31mred'],
  ];
  for (const [what, params, shown] of values) {
    it(`shows ${what}`, () => {
      expect(jobLine(job({ params }))).to.equal(
        `null Page ${shown} namespace=0 title=Page (id=7,timestamp=2026-11-30 11:10:51+00)`,
      );
    });
  }

  it('shows a job without a page as MediaWiki keeps it', () => {
    expect(jobLine(job({ namespace: -1, title: '', params: { lives: 0 } }))).to.equal(
      'null Special: lives=0 namespace=-1 title= (id=7,timestamp=2026-11-30 11:10:51+00)',
    );
  });

  it('shows a job whose params cannot be read, instead of ending there', () => {
    expect(jobLine(job({ params: undefined }))).to.equal(
      'null Page (its params cannot be read) (id=7,timestamp=2026-11-30 11:10:51+00)',
    );
  });

  it('shows namespaces by their canonical names', () => {
    expect([0, 6, 10, -1, 3, 100].map((namespace) => prefixedTitle(namespace, 'A_b'))).to.deep.equal([
      'A_b',
      'File:A_b',
      'Template:A_b',
      'Special:A_b',
      'User_talk:A_b',
      'Special:Badtitle/NS100:A_b',
    ]);
  });

  it('orders types as MediaWiki declares them, others behind by name', () => {
    expect(inMediaWikisOrder(['zeta', 'null', 'alpha', 'refreshLinks', 'deletePage'])).to.deep.equal([
      'deletePage',
      'refreshLinks',
      'null',
      'alpha',
      'zeta',
    ]);
  });
});
