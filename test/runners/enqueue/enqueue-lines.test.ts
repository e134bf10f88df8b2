import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { unavailable } from '../../../domain/errors.js';
import { enqueueLines, explainLineFailure } from '../../../runners/enqueue/enqueue-lines.js';
import type { EnqueueAnswer, EnqueueOutcome } from '../../../runners/producer/enqueueing.js';

/** Answers each job with its title; the database goes away at the title "gone". */
const producer = (asked: number[]) => ({
  enqueueAll: async (specifications: readonly unknown[]): Promise<readonly EnqueueAnswer[]> => {
    asked.push(specifications.length);
    return specifications.map((specification): EnqueueAnswer => {
      const { title = '' } = specification as { title?: string };
      return title === 'gone'
        ? E.left(unavailable('the database went away'))
        : E.right({ jobId: title, outcome: 'enqueued' });
    });
  },
});

const run = async (titles: readonly string[]) => {
  const asked: number[] = [];
  const answers: EnqueueOutcome[] = [];
  const progress: number[] = [];
  const source = async function* (): AsyncGenerator<Buffer> {
    for (const title of titles) yield Buffer.from(`${JSON.stringify({ type: 't', title })}\n`);
  };
  const result = await enqueueLines(producer(asked), source(), {
    onAnswers: async (some) => answers.push(...some),
    onBadLine: () => undefined,
    onProgress: ({ enqueued }) => progress.push(enqueued),
  });
  return { result, asked, progress, answered: answers.map(({ jobId }) => jobId) };
};

const titles = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `title ${n}`);

describe('enqueueLines', () => {
  it('asks for a thousand jobs at a time and tells how far it has come', async () => {
    const { result, asked, progress, answered } = await run(titles(2_500));
    expect(asked).to.deep.equal([1_000, 1_000, 500]);
    expect(progress).to.deep.equal([1_000, 2_000, 2_500]);
    expect(answered).to.deep.equal(titles(2_500));
    expect(result).to.deep.equal({ enqueued: 2_500, suppressed: 0, alreadyEnqueued: 0, bad: 0 });
  });

  it('stops where the database fails, having answered what it took, and names the line', async () => {
    const { result, answered } = await run([...titles(1_500), 'gone', ...titles(9_000)]);
    expect(answered).to.have.length(3_000 - 1);
    expect(result.failure).to.deep.equal({ line: 1_501, error: unavailable('the database went away') });
    expect(result.failure === undefined ? '' : explainLineFailure(result.failure)).to.equal(
      'stopped at line 1501: the database went away; give the lines without an answer on standard output again, ' +
        'with a jobId each where none may run twice',
    );
  });
});
