/** A module of handlers, by its path: JavaScript as Node.js loads it, TypeScript through tsx. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import { handlersOf, type Handler } from './define-job.js';
import { missingFile } from './cli/file-faults.js';

const importModule = async (path: string): Promise<unknown> => {
  const url = pathToFileURL(path).href;
  if (!/\.[cm]?ts$/.test(path)) return import(url);
  const { tsImport } = await import('tsx/esm/api');
  return tsImport(url, import.meta.url);
};

/** Nothing is left that could wake this process while the module still waits: Node.js would end it here without a word. */
const neverSettled = (done: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const give = (): void => reject(new Error('its top-level await waits for something that never comes'));
    process.once('beforeExit', give);
    done.addEventListener('abort', () => process.off('beforeExit', give));
  });

const imported = async (path: string): Promise<unknown> => {
  const done = new AbortController();
  try {
    return await Promise.race([importModule(path), neverSettled(done.signal)]);
  } finally {
    done.abort();
  }
};

/** A module in CommonJS form arrives with its exports as the default. */
const defaultOf = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('default' in value)) return undefined;
  const inner = value.default;
  return typeof inner === 'object' && inner !== null && 'default' in inner ? inner.default : inner;
};

const firstLine = (error: unknown): string => {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.split('\n', 1)[0] ?? text;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The handlers, or a sentence about the module. */
export const loadHandlers = async (
  module: string,
  cwd: string,
): Promise<E.Either<string, readonly Handler[]>> => {
  const path = resolve(cwd, module);
  const missing = await missingFile(path);
  if (missing !== undefined) return E.left(`--handlers ${module}: ${missing}`);
  let loaded: unknown;
  try {
    loaded = await imported(path);
  } catch (error) {
    return E.left(`--handlers ${module} cannot be loaded: ${firstLine(error)}`);
  }
  const exported = defaultOf(loaded);
  if (exported === undefined) {
    return E.left(`--handlers ${module} has no default export; it is to be an array of handlers`);
  }
  // A handler's type is checked by `defineJob`, which throws, since it is called in modules.
  const handlers = E.flatten(E.tryCatch(() => handlersOf(exported), messageOf));
  return E.mapLeft((why: string) => `--handlers ${module}: ${why}`)(handlers);
};
