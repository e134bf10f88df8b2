/** Instants are ISO-8601 texts in UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`; in this form they sort as texts. */
import * as E from 'fp-ts/lib/Either.js';

const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Years behind 9999 are written with a sign and do not sort, PostgreSQL has no year 0, and what is added to a time has to fit too. */
const FIRST_YEAR = '0001';
const LAST_YEAR = '9900';

/** True where an ISO-8601 text in UTC is of a year that every part of the ledger can hold. */
export const isOfKnownYear = (utc: string): boolean =>
  /^\d{4}-/.test(utc) && utc.slice(0, 4) >= FIRST_YEAR && utc.slice(0, 4) <= LAST_YEAR;

export const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
export const millisecondsOf = (instant: string): number => Date.parse(instant);

export const addMilliseconds = (instant: string, milliseconds: number): string =>
  isoOf(millisecondsOf(instant) + milliseconds);

export const millisecondsBetween = (from: string, to: string): number =>
  millisecondsOf(to) - millisecondsOf(from);

/** Date.parse takes 30 February for 2 March. */
const isDayOfCalendar = (text: string): boolean =>
  isoOf(Date.parse(`${text.slice(0, 10)}T00:00Z`)).startsWith(text.slice(0, 10));

/** Reads an instant that carries its offset. A local time names two instants when clocks change, so it is refused. */
export const parseInstant = (text: string): E.Either<string, string> => {
  if (!WITH_OFFSET.test(text)) {
    return E.left(
      `"${text}" is not an instant with an offset, such as 2026-11-01T01:30:00Z or 2026-11-01T01:30:00-04:00`,
    );
  }
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) || !isDayOfCalendar(text) || !isOfKnownYear(isoOf(milliseconds))
    ? E.left(`"${text}" is not a date of the calendar`)
    : E.right(isoOf(milliseconds));
};
