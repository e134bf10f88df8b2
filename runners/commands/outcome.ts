/** How a command ends: exit status 0, or another one and the sentence that says why (DESIGN.md §8). */
import { explainStoreError, type AppendError } from '../../domain/errors.js';

export type Outcome =
  | { readonly status: 0 }
  | {
      /** 1 a negative answer, 2 wrong usage or input, 3 something outside failed. */
      readonly status: 1 | 2 | 3;
      /** One sentence for standard error: what is the matter, and what to do. */
      readonly message: string;
    };

export const done: Outcome = { status: 0 };
export const negative = (message: string): Outcome => ({ status: 1, message });
export const wrongUsage = (message: string): Outcome => ({ status: 2, message });
export const failedOutside = (message: string): Outcome => ({ status: 3, message });

export const storeFailed = (error: AppendError): Outcome => failedOutside(explainStoreError(error));

/** A password inside a database URL is nobody's business but the database's. */
export const withoutPasswords = (text: string): string =>
  text
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^\s:@/]*):\S*@/gi, '$1:***@')
    .replace(/([?&]password=)[^\s&]*/gi, '$1***');

/** `handlers.mjs:3:41`: where an error was made, from the first line of its stack that says so. */
export const placeOf = (error: unknown): string | undefined => {
  const stack: unknown = error instanceof Error ? error.stack : undefined;
  return typeof stack === 'string' ? /^\s+at .*?([^\s/\\(]+:\d+:\d+)\)?$/m.exec(stack)?.[1] : undefined;
};

/** What nobody foresaw: a sentence for the user, and where it happened for whoever looks for the fault. */
export const unexpected = (
  error: unknown,
  env: Readonly<Record<string, string | undefined>>,
): Outcome & { readonly status: 3 } => {
  const message = error instanceof Error ? error.message : String(error);
  const isSearched = env['JOBLEDGER_DEBUG'] !== undefined && env['JOBLEDGER_DEBUG'] !== '';
  return {
    status: 3,
    message:
      isSearched && error instanceof Error
        ? (error.stack ?? message)
        : `something unexpected happened: ${message} (JOBLEDGER_DEBUG=1 shows where)`,
  };
};
