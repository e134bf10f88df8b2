/** Where the demo's handlers leave their traces: a folder of text files, a line for each thing done. */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a line to a file of that name. */
export type Note = (file: string, line: string) => void;

export interface Desk {
  readonly folder: string;
  readonly note: Note;
}

/** An empty folder; what an earlier demo left in it goes. */
export const openDesk = (folder: string): Desk => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return {
    folder,
    note: (file, line) => appendFileSync(join(folder, file), `${line.replaceAll(/\s+/g, ' ')}\n`),
  };
};
