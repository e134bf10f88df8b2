/** What bears on a job and stands not in its own history: pauses and limits that hold for its queue, and whether its runner is there. */
import type { Claim } from '../../domain/job/state.js';
import { covers, scopeInWords, type QueueName, type Scope } from '../../domain/queue/scope.js';
import type { QueueLimits } from '../../domain/queue/settings.js';
import type { Pause, QueueDecisions } from '../../projections/ports.js';
import type { PresentRunner } from '../../projections/progress.js';
import { shellWord } from '../cli/shell-word.js';
import { timeInWords } from './sentence.js';

export interface Surroundings extends QueueDecisions {
  readonly runners: readonly Pick<PresentRunner, 'id' | 'renewedUntil' | 'isLost'>[];
}

/** Pauses and settings of this queue alone. */
export const surroundingsOf = (
  { settings, pauses, runners }: Surroundings,
  { wiki, type }: QueueName,
): Surroundings => {
  const holds = ({ scope }: { readonly scope: Scope }): boolean => covers(scope, { wiki, type });
  return { settings: settings.filter(holds), pauses: pauses.filter(holds), runners };
};

const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;

const whatOf = (scope: Scope): string => {
  if (scope.wiki === undefined && scope.type === undefined) return 'every queue';
  if (scope.wiki === undefined) return `its type (${scopeInWords(scope)})`;
  return `its ${scope.type === undefined ? 'wiki' : 'queue'} (${scopeInWords(scope)})`;
};

const pauseInWords = ({ scope, since, by, why }: Pause): string =>
  `${whatOf(scope)} is paused, by ${by} since ${timeInWords(since)}: ${why}`;

/** Undefined where nothing is paused. */
export const pausesInWords = ({ pauses }: Surroundings): string | undefined =>
  pauses.length === 0 ? undefined : pauses.map(pauseInWords).join('; ');

const resumeCommand = ({ scope: { wiki, type } }: Pause): string => {
  const flags = [
    ...(wiki === undefined ? [] : [`--wiki ${shellWord(wiki)}`]),
    ...(type === undefined ? [] : [`--type ${shellWord(type)}`]),
  ];
  return `"jobledger resume ${flags.length === 0 ? '--all' : flags.join(' ')}"`;
};

/** Undefined where nothing is paused. */
export const resumingInWords = ({ pauses }: Surroundings): string | undefined =>
  pauses.length === 0
    ? undefined
    : `${listed(pauses.map(resumeCommand))} ${pauses.length === 1 ? 'lifts that pause' : 'lift those pauses'}`;

/** What is claimed already runs on. */
export const pauseBehindClaimInWords = (around: Surroundings): string | undefined => {
  const [paused, resuming] = [pausesInWords(around), resumingInWords(around)];
  return paused === undefined || resuming === undefined
    ? undefined
    : `A claim that stands runs on, but no new one is made until ${resuming}: ${paused}.`;
};

const limitInWords = ({ running, perSecond, itemsPerSecond }: QueueLimits): readonly string[] => [
  ...(running === undefined ? [] : [`${running} running at once`]),
  ...(perSecond === undefined ? [] : [`${perSecond} begun a second`]),
  ...(itemsPerSecond === undefined ? [] : [`${itemsPerSecond} work items a second`]),
];

/** Undefined where there are none. */
export const limitsInWords = ({ settings }: Surroundings): string | undefined => {
  const held = settings.flatMap(({ scope, settings: { limits } }) =>
    limits === undefined ? [] : [`for ${whatOf(scope)} at most ${listed(limitInWords(limits))}`],
  );
  return held.length === 0 ? undefined : `Limits hold: ${held.join('; ')}.`;
};

/** A claim is lost when its own lease and its runner's last renewal have both passed. */
export const lossInWords = (claim: Claim, now: string, { runners }: Surroundings): string => {
  const holder = runners.find(({ id }) => id === claim.runner.id);
  const lease = claim.leaseExpiresAt;
  const end = holder !== undefined && holder.renewedUntil > lease ? holder.renewedUntil : lease;
  const ended = end <= now;
  if (holder !== undefined && !holder.isLost && !ended)
    return `Should its runner be lost, which shows when it has not renewed its claims by ${timeInWords(end)}, the job becomes ready for another.`;
  return ended
    ? `Its claim was not renewed and ended at ${timeInWords(end)}: any runner that is there makes the job ready for another.`
    : `Nobody renews its claim any more: it ends at ${timeInWords(end)}, and the job becomes ready for another.`;
};
