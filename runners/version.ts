/** The version of this program, as its package says. */
import { createRequire } from 'node:module';
import * as t from 'io-ts';

const read: unknown = createRequire(import.meta.url)('jobledger/package.json');
const Package = t.type({ version: t.string });

export const VERSION: string = Package.is(read) ? read.version : 'unknown';
