// Copies what the compiled files read beside themselves (SQL, demo data) from the sources to the build.
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './stage.mjs';

export const copyAssets = (folders, target) => {
  for (const folder of folders.filter((name) => existsSync(join(root, name)))) {
    cpSync(join(root, folder), join(target, folder), {
      recursive: true,
      filter: (source) => !/\.(ts|md)$/.test(source),
    });
  }
};
