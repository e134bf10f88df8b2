/**
 * Old data brought up to date, purely and one step at a time, before any codec sees it. A released version is never changed;
 * test/fixtures/events keeps one recorded example of each.
 */
type Step = (data: Record<string, unknown>) => Record<string, unknown>;

/** Index i leads from version i + 1 to i + 2. */
const steps: Readonly<Record<string, readonly Step[]>> = {
  // Version 1 had a priority only; classes came with version 2, and everything before them was of the normal one.
  JobEnqueued: [(data) => ({ class: 'normal', ...data })],
};

const stepsOf = (type: string): readonly Step[] => (Object.hasOwn(steps, type) ? (steps[type] ?? []) : []);

/** Version that new events of this type are written with. */
export const currentVersion = (type: string): number => stepsOf(type).length + 1;

const isRecord = (data: unknown): data is Record<string, unknown> =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

export const upcast = (type: string, version: number, data: unknown): unknown => {
  if (!isRecord(data)) return data;
  return stepsOf(type)
    .slice(Math.max(0, version - 1))
    .reduce((current, step) => step(current), data);
};
