/** MediaWiki's two notations of a moment, as ISO-8601 in UTC: 14 digits, and PostgreSQL's with an offset and perhaps a fraction. */
import { isOfKnownYear } from '../../../domain/instant.js';

const DIGITS = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;
const POSTGRES =
  /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)?$/;

const offsetSeconds = (parts: readonly (string | undefined)[]): number => {
  const [sign, hours = '0', minutes = '0', seconds = '0'] = parts;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
};

export const isoTimestamp = (text: string): string | undefined => {
  const match = DIGITS.exec(text) ?? POSTGRES.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', ...offset] = match;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const moment = Date.parse(`${local}Z`);
  // Date.parse takes 31 February for 3 March.
  if (Number.isNaN(moment) || new Date(moment).toISOString().slice(0, 19) !== local) return undefined;
  const shift = offsetSeconds(offset);
  const utc = shift === 0 ? local : new Date(moment - shift * 1000).toISOString().slice(0, 19);
  if (!isOfKnownYear(utc)) return undefined;
  const digits = fraction.replace(/0+$/, '');
  return digits === '' ? `${utc}Z` : `${utc}.${digits}Z`;
};
