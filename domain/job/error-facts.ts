/** What a handler threw, made storable and bounded: an outcome is never refused for the length or the shape of its error. */
import { shortened } from '../bytes.js';
import type { ErrorFacts } from './facts.js';

const MAX_MESSAGE = 8_000;
const MAX_STACK = 16_000;
const MAX_CAUSES = 10;

/** NUL and halves of surrogate pairs are what the store cannot hold; each becomes a visible mark. */
export const storableText = (text: string): string =>
  text
    .replaceAll('\u0000', '\uFFFD')
    .replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');

const textOf = (value: unknown): string => {
  try {
    if (typeof value === 'string') return value;
    return typeof value === 'object' && value !== null ? (JSON.stringify(value) ?? 'object') : String(value);
  } catch {
    return 'a value that cannot be shown';
  }
};

/** Members of a thrown value may be getters that throw themselves. */
const member = (value: object, name: string): unknown => {
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
};

const plainFacts = (thrown: unknown): ErrorFacts => {
  if (typeof thrown !== 'object' || thrown === null)
    return { name: 'Error', message: bounded(textOf(thrown), MAX_MESSAGE) };
  const name = member(thrown, 'name');
  const message = member(thrown, 'message');
  const stack = member(thrown, 'stack');
  return {
    name: typeof name === 'string' && name !== '' ? bounded(name, 200) : 'Error',
    message: bounded(typeof message === 'string' ? message : textOf(thrown), MAX_MESSAGE),
    ...(typeof stack === 'string' ? { stack: bounded(stack, MAX_STACK) } : {}),
  };
};

const bounded = (text: string, limit: number): string =>
  shortened(storableText(text.slice(0, limit + 2)), limit);

/** Any thrown value → facts. Causes are followed up to ten; a cycle ends there too. */
export const errorFacts = (thrown: unknown): ErrorFacts => {
  const causes: ErrorFacts[] = [];
  let cause = typeof thrown === 'object' && thrown !== null ? member(thrown, 'cause') : undefined;
  while (cause !== undefined && cause !== null && causes.length < MAX_CAUSES) {
    causes.push(plainFacts(cause));
    cause = typeof cause === 'object' ? member(cause, 'cause') : undefined;
  }
  return causes.length === 0 ? plainFacts(thrown) : { ...plainFacts(thrown), causes };
};

/** One line for a table: name, message, and what caused it. */
export const errorLine = ({ name, message, causes }: ErrorFacts): string =>
  [`${name}: ${message}`, ...(causes ?? []).map((cause) => `caused by ${cause.name}: ${cause.message}`)].join(
    '; ',
  );
