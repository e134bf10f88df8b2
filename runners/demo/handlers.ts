/** A handler for each of the 20 job types that this wiki knows; the 21st in its table, noSuchJobType, it does not. */
import type { Handler } from '../define-job.js';
import type { Note } from './desk.js';
import { mailHandlers } from './mail-handlers.js';
import { pageHandlers } from './page-handlers.js';
import { upkeepHandlers } from './upkeep-handlers.js';

export const demoHandlers = (note: Note): readonly Handler[] => [
  ...mailHandlers(note),
  ...pageHandlers(note),
  ...upkeepHandlers(note),
];
