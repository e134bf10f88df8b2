/** The rounds of a run: in each, every step of every contestant, in an order that turns from round to round. */
import type { Contestant } from './contestants.js';
import { measureDrain, measureDrainAlone } from './measures/drain.js';
import { measureEnqueue } from './measures/enqueue.js';
import { measureLatency } from './measures/latency.js';
import { measureLimits } from './measures/limits.js';
import type { Figures, Setting, Sizes } from './measures/measuring.js';
import { MACHINE } from './report.js';
import type { Failure, Sample } from './samples.js';
import type { Database } from './server.js';

export interface Plan {
  readonly contestants: readonly Contestant[];
  readonly database: () => Promise<Database>;
  readonly sizes: Sizes;
  readonly rounds: number;
  /**
   * No round begins that would, by the time of those before, end later than this; and what only completes the picture is left out
   * once half of it is over.
   */
  readonly budgetMs: number;
  readonly steps: readonly StepName[];
  /** Rounds in which the others' defaults take part, and the drain without a projector. */
  readonly completeRounds: number;
  /** Told what has been measured. */
  readonly report: (line: string) => void;
}

export interface Results {
  readonly samples: readonly Sample[];
  readonly failures: readonly Failure[];
}

type Step = (setting: Setting) => Promise<Figures>;

const STEPS = {
  enqueue: measureEnqueue,
  drain: measureDrain,
  'drain-alone': measureDrainAlone,
  latency: measureLatency,
} satisfies Readonly<Record<string, Step>>;

export type StepName = keyof typeof STEPS | 'limits';

export const stepNames: readonly StepName[] = ['limits', 'enqueue', 'drain', 'drain-alone', 'latency'];

export const isStepName = (name: string): name is StepName => stepNames.some((known) => known === name);

const turned = <A>(members: readonly A[], by: number): readonly A[] => {
  const first = by % Math.max(1, members.length);
  return [...members.slice(first), ...members.slice(0, first)];
};

const canTakePart = ({ projector, keepsPace }: Contestant, step: StepName): boolean =>
  step === 'latency' ? keepsPace : step !== 'drain-alone' || projector !== undefined;

/** The comparison proper is between us and the tuned settings of the others, with everything running. */
const completesThePicture = ({ isOurs, isTuned }: Contestant, step: StepName): boolean =>
  step === 'drain-alone' || !(isOurs || isTuned);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const run = async (plan: Plan): Promise<Results> => {
  const { database, sizes, report } = plan;
  const samples: Sample[] = [];
  const failures: Failure[] = [];

  const measure = async (
    step: StepName,
    contestant: string,
    round: number,
    figures: () => Promise<Figures>,
  ): Promise<void> => {
    const begun = performance.now();
    try {
      for (const [key, value] of Object.entries(await figures()))
        samples.push({ measure: key, contestant, round, value });
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      report(`round ${round + 1} of ${plan.rounds}: ${step}, ${contestant}: ${seconds} s`);
    } catch (error) {
      failures.push({ measure: step, contestant, round, reason: reasonOf(error) });
      report(`round ${round + 1} of ${plan.rounds}: ${step}, ${contestant}: no figure: ${reasonOf(error)}`);
    }
  };

  const begun = performance.now();
  const hasTimeFor = (round: number): boolean =>
    round === 0 || ((performance.now() - begun) / round) * (round + 1) < plan.budgetMs;

  const hasTimeForMore = (round: number): boolean =>
    round < plan.completeRounds && performance.now() - begun < plan.budgetMs / 2;

  for (let round = 0; round < plan.rounds && hasTimeFor(round); round += 1) {
    for (const step of plan.steps) {
      if (step === 'limits') {
        await measure(step, MACHINE, round, () => measureLimits(database, sizes.rateMs / 2));
        continue;
      }
      for (const contestant of turned(plan.contestants, round)) {
        if (!canTakePart(contestant, step)) continue;
        if (completesThePicture(contestant, step) && !hasTimeForMore(round)) continue;
        await measure(step, contestant.name, round, () => STEPS[step]({ contestant, database, sizes }));
      }
    }
  }
  return { samples, failures };
};
