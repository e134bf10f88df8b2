import * as E from 'fp-ts/lib/Either.js';
import { expect } from 'chai';
import { bytesPerJob } from '../../bench/measures/storage.js';
import { readOptions } from '../../bench/options.js';
import { comparisonOf, figureOf, verdictOf, type Sample } from '../../bench/samples.js';
import { median, percentile } from '../../bench/statistics.js';
import type { Measure } from '../../bench/targets.js';

const speed: Measure = {
  key: 'speed',
  title: 'speed',
  unit: 'jobs/s',
  better: 'more',
  target: { of: 'ratio', must: 1, goal: 1.5 },
};
const delay: Measure = {
  ...speed,
  key: 'delay',
  better: 'less',
  target: { of: 'ratio', must: 1.2, goal: 1 },
};
const size: Measure = { ...delay, key: 'size', target: { of: 'figure', must: 300, goal: 200 } };

const samplesOf = (measure: string, figures: Readonly<Record<string, readonly number[]>>): Sample[] =>
  Object.entries(figures).flatMap(([contestant, values]) =>
    values.map((value, round) => ({ measure, contestant, round, value })),
  );

const judged = (measure: Measure, samples: readonly Sample[]) =>
  verdictOf(measure, figureOf(samples, measure.key, 'ours'), comparisonOf(samples, measure, 'ours'));

describe('the figures of a benchmark', () => {
  it('have a median and percentiles that are values or lie between two', () => {
    expect(median([3, 1, 2])).to.equal(2);
    expect(median([4, 1, 2, 3])).to.equal(2.5);
    expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.5)).to.equal(6);
    expect(percentile([2, 1], 0.99)).to.equal(2);
  });

  it('are held against the best of the others, round by round', () => {
    const samples = samplesOf('speed', { ours: [10, 20, 40], slow: [1, 1, 1], fast: [10, 10, 10] });
    expect(comparisonOf(samples, speed, 'ours')).to.deep.equal({
      best: 'fast',
      ratio: { median: 2, least: 1, most: 4 },
    });
  });

  it('take the smallest as the best where less is better', () => {
    const samples = samplesOf('delay', { ours: [3], quick: [2], slow: [9] });
    expect(comparisonOf(samples, delay, 'ours')?.best).to.equal('quick');
    expect(judged(delay, samples)).to.equal('missed');
  });

  it('compare with nobody where only ours were measured', () => {
    expect(comparisonOf(samplesOf('speed', { ours: [10] }), speed, 'ours')).to.equal(undefined);
    expect(judged(speed, samplesOf('speed', { ours: [10] }))).to.equal(undefined);
  });

  const verdicts = [
    [speed, 15, 10, 'goal'],
    [speed, 10, 10, 'must'],
    [speed, 9, 10, 'missed'],
    [delay, 10, 10, 'goal'],
    [delay, 12, 10, 'must'],
    [delay, 13, 10, 'missed'],
    [size, 200, 1, 'goal'],
    [size, 300, 1, 'must'],
    [size, 301, 1, 'missed'],
  ] as const;
  for (const [measure, ours, theirs, verdict] of verdicts) {
    it(`call ${ours} against ${theirs} ${verdict} for the ${measure.key}`, () => {
      expect(judged(measure, samplesOf(measure.key, { ours: [ours], theirs: [theirs] }))).to.equal(verdict);
    });
  }

  it('count what each table has grown by for each job', () => {
    const before = new Map([
      ['event', 100],
      ['empty', 50],
    ]);
    const after = new Map([
      ['event', 1_100],
      ['empty', 50],
    ]);
    expect(bytesPerJob(before, after, 10)).to.deep.equal({ bytes: 100, 'bytes:event': 100 });
  });
});

describe("the benchmark's command line", () => {
  it('takes numbers, steps and systems', () => {
    const options = readOptions(['--rounds', '2', '--jobs', '1_000', '--only', 'drain,latency']);
    expect(E.isRight(options) && options.right).to.deep.include({
      rounds: 2,
      steps: ['drain', 'latency'],
      systems: ['jobledger', 'graphile-worker', 'pg-boss'],
    });
    expect(E.isRight(options) && options.right.sizes.jobs).to.equal(1_000);
  });

  for (const args of [
    ['--rounds', '0'],
    ['--only', 'drains'],
    ['--systems', 'cron'],
    ['--fast'],
    ['quick'],
  ]) {
    it(`refuses ${args.join(' ')}`, () => {
      expect(readOptions(args)).to.have.property('_tag', 'Left');
    });
  }
});
