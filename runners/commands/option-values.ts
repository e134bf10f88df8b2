/** Values of options as commander hands them over, or the sentence it shows for those that are wrong. */
import { InvalidArgumentError } from 'commander';
import { typeFlaw, wikiFlaw } from '../../domain/job/names.js';

/** For options that may be given several times. */
export const collected = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

const named =
  (flawOf: (value: string) => string | undefined) =>
  (value: string): string => {
    const flaw = flawOf(value);
    if (flaw !== undefined) throw new InvalidArgumentError(`It ${flaw}.`);
    return value;
  };

export const typeName = named(typeFlaw);
export const wikiName = named(wikiFlaw);

const DECIMAL = /^\d{1,9}(?:\.\d{1,6})?$/;

/** Seconds, fractions allowed, as milliseconds. */
export const seconds =
  (least: number) =>
  (value: string): number => {
    const milliseconds = Math.round(Number(value) * 1_000);
    if (!DECIMAL.test(value) || milliseconds < least * 1_000) {
      throw new InvalidArgumentError(`It is a number of seconds, at least ${least}.`);
    }
    return milliseconds;
  };

export const wholeNumber =
  (least: number, most: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!/^\d{1,15}$/.test(value) || number < least || number > most) {
      throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
    }
    return number;
  };
