/** How many claims met a job that was gone: the measure of how far the tables of what is ready lag behind a history elsewhere. */
import type { ClaimFigures } from '../adapters/postgres/reserving-desk.js';

/** Undefined where none was tried, or where claims are held by locks. */
export const claimsLost = (figures: ClaimFigures | undefined): string | undefined => {
  const { tried, lost } = figures ?? { tried: 0, lost: 0 };
  if (tried === 0) return undefined;
  return `of ${tried} claims ${lost} were lost to others (${((100 * lost) / tried).toFixed(1)} %)`;
};
