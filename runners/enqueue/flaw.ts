/** What is wrong with a specification, as a sentence. */
export interface Flaw {
  readonly path: string;
  readonly message: string;
}

/** A path may come from a key of the user's; it must not fill the screen. */
const LONGEST_PATH = 200;

const shownPath = (path: string): string =>
  path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;

/** An unknown member is named by its message already. */
export const explainFlaw = ({ path, message }: Flaw): string =>
  path === '' || message.startsWith('unknown member') ? message : `${shownPath(path)} ${message}`;

/** The same with the command line's names: `notBefore` is `--not-before` there. Inside params the path stays a path. */
export const explainFlagFlaw = ({ path, message }: Flaw): string => {
  if (path === '' || path === 'type') return path === '' ? message : `the job type ${message}`;
  if (path.startsWith('params.') || path.startsWith('params['))
    return `--params: ${explainFlaw({ path, message })}`;
  return `--${path.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${message}`;
};
