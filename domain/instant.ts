/** Instants are ISO-8601 texts in UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`; in this form they sort as texts. */
import * as E from 'fp-ts/lib/Either.js';

const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

export const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
export const millisecondsOf = (instant: string): number => Date.parse(instant);

export const addMilliseconds = (instant: string, milliseconds: number): string =>
  isoOf(millisecondsOf(instant) + milliseconds);

export const millisecondsBetween = (from: string, to: string): number =>
  millisecondsOf(to) - millisecondsOf(from);

/** Reads an instant that carries its offset. A local time names two instants when clocks change, so it is refused. */
export const parseInstant = (text: string): E.Either<string, string> => {
  if (!WITH_OFFSET.test(text)) {
    return E.left(
      `"${text}" is not an instant with an offset, such as 2026-11-01T01:30:00Z or 2026-11-01T01:30:00-04:00`,
    );
  }
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds)
    ? E.left(`"${text}" is not a date of the calendar`)
    : E.right(isoOf(milliseconds));
};
