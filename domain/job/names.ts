/** One rule for names, applied at every door (field case 19): job types, wikis and titles are data, never identifiers. */
import * as t from 'io-ts';
import { hasLoneSurrogate, utf8Length } from '../bytes.js';

export const MAX_TYPE_BYTES = 60;
export const MAX_WIKI_BYTES = 64;
export const MAX_TITLE_BYTES = 255;
/** ElasticJob's separator inside a task id; a type that held it could not be told from the parts around it. */
export const TASK_ID_SEPARATOR = '@-@';

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001F\u007F]/;

const flaw = (text: string, maxBytes: number, minBytes: number): string | undefined => {
  const bytes = utf8Length(text);
  if (bytes < minBytes) return 'is empty';
  if (bytes > maxBytes) return `has ${bytes} bytes, at most ${maxBytes} are allowed`;
  return characterFlaw(text);
};

/** What no name and no key may hold: control characters, and halves of surrogate pairs, which all become the same in UTF-8. */
export const characterFlaw = (text: string): string | undefined => {
  if (CONTROL.test(text)) return 'holds a control character';
  return hasLoneSurrogate(text) ? 'holds half a surrogate pair' : undefined;
};

/** What is wrong with a job type, or undefined. */
export const typeFlaw = (type: string): string | undefined =>
  flaw(type, MAX_TYPE_BYTES, 1) ??
  (blursTaskId(type)
    ? `holds "${TASK_ID_SEPARATOR}", which separates the parts of a task id, or ends in its beginning`
    : undefined);

/** In a task id the separator stands behind the type: with a type that ends in "@-" it would be found too early. */
const blursTaskId = (type: string): boolean =>
  `${type}${TASK_ID_SEPARATOR}`.indexOf(TASK_ID_SEPARATOR) < type.length;
export const wikiFlaw = (wiki: string): string | undefined => flaw(wiki, MAX_WIKI_BYTES, 1);
export const titleFlaw = (title: string): string | undefined => flaw(title, MAX_TITLE_BYTES, 0);

const named = (name: string, flawOf: (text: string) => string | undefined) =>
  new t.Type<string, string, unknown>(
    name,
    (value): value is string => typeof value === 'string' && flawOf(value) === undefined,
    (value, context) => {
      if (typeof value !== 'string') return t.failure(value, context, `${name} is not a text`);
      const found = flawOf(value);
      return found === undefined ? t.success(value) : t.failure(value, context, `${name} ${found}`);
    },
    t.identity,
  );

export const JobType = named('type', typeFlaw);
export const Wiki = named('wiki', wikiFlaw);
export const Title = named('title', titleFlaw);
