/** Every command, in the order of the help page: the order in which one meets them. */
import type { CliCommand } from './command.js';
import { enqueue } from './enqueue.js';
import { importCommand } from './import.js';
import { url } from './url.js';
import { workCommand } from './work.js';

export const commands: readonly CliCommand[] = [url, enqueue, importCommand, workCommand];
