/** The library and the command in one module, of which the build makes one file: reading hundreds was most of a command's start. */
export * from './index.js';
export { command } from './cli/command.js';
