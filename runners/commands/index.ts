/** Every command, in the order of the help page: the order in which one meets them. */
import type { CliCommand } from './command.js';
import { url } from './url.js';

export const commands: readonly CliCommand[] = [url];
