/** Files of this package, by its own name: the build makes one module of all, and leaves these where they are. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** @param path from the package's folder, with slashes */
export const packageFile = (path: string): string =>
  join(dirname(createRequire(import.meta.url).resolve('jobledger/package.json')), path);
