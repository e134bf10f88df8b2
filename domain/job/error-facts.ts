/** What a handler threw, made storable and bounded: an outcome is never refused for the length or the shape of its error. */
import { shortened } from '../bytes.js';
import type { ErrorFacts } from './facts.js';

interface Bounds {
  readonly message: number;
  readonly stack: number;
}
/** Together with all causes under half a MiB, even where JSON writes each character in six bytes: an append must not fail for it. */
const OWN: Bounds = { message: 8_000, stack: 16_000 };
const OF_A_CAUSE: Bounds = { message: 2_000, stack: 4_000 };
const MAX_CAUSES = 10;
const FURTHER_CAUSES: ErrorFacts = { name: '…', message: 'further causes are left out' };

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

const plainFacts = (thrown: unknown, bounds: Bounds): ErrorFacts => {
  if (typeof thrown !== 'object' || thrown === null)
    return { name: 'Error', message: bounded(textOf(thrown), bounds.message) };
  const name = member(thrown, 'name');
  const message = member(thrown, 'message');
  const stack = member(thrown, 'stack');
  return {
    name: typeof name === 'string' && name !== '' ? bounded(name, 200) : 'Error',
    message: bounded(typeof message === 'string' ? message : textOf(thrown), bounds.message),
    ...(typeof stack === 'string' ? { stack: bounded(stack, bounds.stack) } : {}),
  };
};

/** Cut roughly before it is looked through: a character takes at most two units. */
const bounded = (text: string, limit: number): string =>
  shortened(storableText(text.slice(0, 2 * limit + 2)), limit);

/** Any thrown value → facts. Causes are followed up to ten, and a mark says where there are more; a cycle ends there too. */
export const errorFacts = (thrown: unknown): ErrorFacts => {
  const causes: ErrorFacts[] = [];
  let cause = typeof thrown === 'object' && thrown !== null ? member(thrown, 'cause') : undefined;
  while (cause !== undefined && cause !== null && causes.length < MAX_CAUSES) {
    causes.push(plainFacts(cause, OF_A_CAUSE));
    cause = typeof cause === 'object' ? member(cause, 'cause') : undefined;
  }
  if (cause !== undefined && cause !== null) causes.push(FURTHER_CAUSES);
  const facts = plainFacts(thrown, OWN);
  return causes.length === 0 ? facts : { ...facts, causes };
};

/** One line for a table: name, message, and what caused it. */
export const errorLine = ({ name, message, causes }: ErrorFacts): string =>
  [`${name}: ${message}`, ...(causes ?? []).map((cause) => `caused by ${cause.name}: ${cause.message}`)].join(
    '; ',
  );
