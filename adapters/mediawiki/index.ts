/** MediaWiki's formats: PHP serialisation, and the dumps of its `job` table. */
export * from './dump/dump-error.js';
export type { JobRow } from './dump/job-row.js';
export { readJobDump } from './dump/read-job-dump.js';
export { type PhpMalformed, phpUnserialize, readJobParams } from './php-unserialize.js';
