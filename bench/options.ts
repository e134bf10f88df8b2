/** The command line of `npm run bench --`. */
import { parseArgs } from 'node:util';
import * as E from 'fp-ts/lib/Either.js';
import type { Sizes } from './measures/measuring.js';
import { isStepName, stepNames, type StepName } from './run.js';

export interface Options {
  readonly rounds: number;
  readonly completeRounds: number;
  readonly budgetMs: number;
  readonly sizes: Sizes;
  readonly steps: readonly StepName[];
  readonly systems: readonly string[];
  readonly out: string;
  /** This project's processes on the peers' Node.js too. */
  readonly onSameNode: boolean;
}

export const SYSTEMS = ['jobledger', 'graphile-worker', 'pg-boss'];

export const usage = `npm run bench -- [options]
  --quick           in under two minutes: fewer jobs, fewer rounds
  --rounds N        default 5; where quick as many of 3 as there is time for
  --jobs N          jobs of a drain; default 20,000; 4,000 where quick
  --only STEPS      of ${stepNames.join(', ')}; with commas between
  --systems NAMES   of ${SYSTEMS.join(', ')}; with commas between
  --same-node       jobledger on the Node.js of the others, instead of the one that runs this
  --out FILE        where the figures go as JSON; default bench/results.json
`;

const FULL = {
  rounds: 5,
  completeRounds: 5,
  budgetMs: Number.POSITIVE_INFINITY,
  sizes: { rateMs: 2_000, warmUpMs: 500, jobs: 20_000, latencyJobs: 1_000, latencyWarmUp: 100 },
};
const QUICK = {
  rounds: 3,
  completeRounds: 1,
  budgetMs: 90_000,
  sizes: { rateMs: 600, warmUpMs: 200, jobs: 4_000, latencyJobs: 150, latencyWarmUp: 50 },
};

const listOf = (text: string | undefined): readonly string[] | undefined =>
  text?.split(',').map((part) => part.trim());

const wholeNumber = (name: string, text: string | undefined, otherwise: number): E.Either<string, number> => {
  if (text === undefined) return E.right(otherwise);
  const value = Number(text.replaceAll(/[_,]/g, ''));
  return Number.isInteger(value) && value > 0
    ? E.right(value)
    : E.left(`--${name} is a whole number above 0`);
};

const parsed = (args: readonly string[]) =>
  E.tryCatch(
    () =>
      parseArgs({
        args: [...args],
        options: {
          quick: { type: 'boolean' },
          rounds: { type: 'string' },
          jobs: { type: 'string' },
          only: { type: 'string' },
          systems: { type: 'string' },
          'same-node': { type: 'boolean' },
          out: { type: 'string' },
        },
      }).values,
    (error) => (error instanceof Error ? error.message : String(error)),
  );

/** The options, or what is wrong with them. */
export const readOptions = (args: readonly string[]): E.Either<string, Options> => {
  const flags = parsed(args);
  if (E.isLeft(flags)) return flags;
  const { quick, only, systems, out } = flags.right;
  const basis = quick === true ? QUICK : FULL;
  const rounds = wholeNumber('rounds', flags.right.rounds, basis.rounds);
  if (E.isLeft(rounds)) return rounds;
  const jobs = wholeNumber('jobs', flags.right.jobs, basis.sizes.jobs);
  if (E.isLeft(jobs)) return jobs;
  const steps = listOf(only) ?? stepNames;
  const chosen = listOf(systems) ?? SYSTEMS;
  if (!steps.every(isStepName)) return E.left(`--only has ${stepNames.join(', ')}`);
  if (!chosen.every((name) => SYSTEMS.includes(name))) return E.left(`--systems has ${SYSTEMS.join(', ')}`);
  return E.right({
    rounds: rounds.right,
    completeRounds: Math.min(rounds.right, basis.completeRounds),
    budgetMs: basis.budgetMs,
    sizes: { ...basis.sizes, jobs: jobs.right },
    steps,
    systems: chosen,
    out: out ?? 'bench/results.json',
    onSameNode: flags.right['same-node'] === true,
  });
};
