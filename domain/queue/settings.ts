/** How a queue is worked: its class, its share among the queues of that class, its order, and what holds it back. */
import * as t from 'io-ts';
import { defined } from '../defined.js';
import { JobClass } from '../job/facts.js';
import { covers, scopesOf, type QueueName, type Scope } from './scope.js';

/**
 * `fifo`: by priority, then in the order of enqueueing. `timestamp`: by priority, then by the time a job became ready. `random`: any of
 * those with the smallest priority.
 */
export const QueueOrder = t.keyof({ fifo: null, timestamp: null, random: null });
export type QueueOrder = t.TypeOf<typeof QueueOrder>;

/** A limit holds for all that lies in its scope together. Work items are what MediaWiki throttles by: see work-items.ts. */
export const QueueLimits = t.partial({ running: t.number, perSecond: t.number, itemsPerSecond: t.number });
export type QueueLimits = t.TypeOf<typeof QueueLimits>;

/** What is missing is said by a wider scope, or is the default. */
export const QueueSettings = t.partial({
  class: JobClass,
  weight: t.number,
  order: QueueOrder,
  limits: QueueLimits,
});
export type QueueSettings = t.TypeOf<typeof QueueSettings>;

/** A setting that is `null` is taken back. */
export interface SettingChanges {
  readonly class?: JobClass | null;
  readonly weight?: number | null;
  readonly order?: QueueOrder | null;
  readonly running?: number | null;
  readonly perSecond?: number | null;
  readonly itemsPerSecond?: number | null;
}

const chosen = <A>(change: A | null | undefined, before: A | undefined): A | undefined =>
  change === undefined ? before : (change ?? undefined);

const changedLimits = (before: QueueLimits, changes: SettingChanges): QueueLimits | undefined => {
  const limits = defined({
    running: chosen(changes.running, before.running),
    perSecond: chosen(changes.perSecond, before.perSecond),
    itemsPerSecond: chosen(changes.itemsPerSecond, before.itemsPerSecond),
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
};

export const changedSettings = (before: QueueSettings, changes: SettingChanges): QueueSettings =>
  defined({
    class: chosen(changes.class, before.class),
    weight: chosen(changes.weight, before.weight),
    order: chosen(changes.order, before.order),
    limits: changedLimits(before.limits ?? {}, changes),
  });

const MOST_WEIGHT = 1_000;
const MOST = 1_000_000;
const LEAST_PER_SECOND = 0.001;

const wholeFlaw = (value: unknown, most: number): string | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
    ? undefined
    : `is not a whole number from 1 to ${most}`;

const rateFlaw = (value: unknown): string | undefined =>
  typeof value === 'number' && value >= LEAST_PER_SECOND && value <= MOST
    ? undefined
    : `is not a number from ${LEAST_PER_SECOND} to ${MOST}`;

export interface SettingFlaw {
  readonly setting: keyof SettingChanges;
  readonly message: string;
}

/** The first setting that cannot be, or undefined. */
export const settingFlaw = (changes: SettingChanges): SettingFlaw | undefined => {
  const flawOf = (setting: keyof SettingChanges, judge: (value: unknown) => string | undefined) => {
    const value = changes[setting];
    const message = value === undefined || value === null ? undefined : judge(value);
    return message === undefined ? undefined : { setting, message };
  };
  return (
    flawOf('class', (value) => (JobClass.is(value) ? undefined : 'is not high, normal or low')) ??
    flawOf('order', (value) => (QueueOrder.is(value) ? undefined : 'is not fifo, timestamp or random')) ??
    flawOf('weight', (value) => wholeFlaw(value, MOST_WEIGHT)) ??
    flawOf('running', (value) => wholeFlaw(value, MOST)) ??
    flawOf('perSecond', rateFlaw) ??
    flawOf('itemsPerSecond', rateFlaw)
  );
};

export interface ScopeSettings {
  readonly scope: Scope;
  readonly settings: QueueSettings;
}

/** Settings in force for one queue, defaults filled in. */
export interface SettingsInForce {
  readonly class: JobClass;
  readonly weight: number;
  readonly order: QueueOrder;
}

const keyOf = ({ wiki, type }: Scope): string => `${wiki ?? ''}\n${type ?? ''}`;

/** Answers for any queue: each setting comes from the narrowest scope that has it. */
export const settingsInForce = (all: readonly ScopeSettings[]): ((queue: QueueName) => SettingsInForce) => {
  const byScope = new Map(all.map(({ scope, settings }) => [keyOf(scope), settings]));
  const defaults: SettingsInForce = { class: 'normal', weight: 1, order: 'fifo' };
  if (byScope.size === 0) return () => defaults;
  return (queue) => {
    const said = scopesOf(queue).map((scope) => byScope.get(keyOf(scope)));
    return {
      class: said.find((settings) => settings?.class !== undefined)?.class ?? defaults.class,
      weight: said.find((settings) => settings?.weight !== undefined)?.weight ?? defaults.weight,
      order: said.find((settings) => settings?.order !== undefined)?.order ?? defaults.order,
    };
  };
};

/** Answers for any queue: true where a pause holds for it. */
export const pausesInForce = (pauses: readonly Scope[]): ((queue: QueueName) => boolean) => {
  const paused = new Set(pauses.map(keyOf));
  return (queue) => paused.size > 0 && scopesOf(queue).some((scope) => paused.has(keyOf(scope)));
};

/** Pauses of wider scopes that hold for all of this one. */
export const widerPauses = (pauses: readonly Scope[], scope: Scope): readonly Scope[] =>
  pauses.filter((pause) => covers(pause, scope) && keyOf(pause) !== keyOf(scope));
