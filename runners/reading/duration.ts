/** Durations as people say them: the two largest units, or a decimal where it is short. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 100) / 10} s`;

const twoUnits = (
  milliseconds: number,
  [large, largeName]: readonly [number, string],
  [small, smallName]: readonly [number, string],
): string => {
  const rounded = Math.round(milliseconds / small) * small;
  const rest = Math.floor((rounded % large) / small);
  const whole = `${Math.floor(rounded / large)} ${largeName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
};

export const inWords = (milliseconds: number): string => {
  const length = Math.max(0, milliseconds);
  if (length < SECOND) return `${Math.round(length)} ms`;
  if (length < MINUTE) return seconds(length);
  if (length < HOUR) return twoUnits(length, [MINUTE, 'min'], [SECOND, 's']);
  if (length < DAY) return twoUnits(length, [HOUR, 'h'], [MINUTE, 'min']);
  return twoUnits(length, [DAY, 'd'], [HOUR, 'h']);
};
