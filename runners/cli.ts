#!/usr/bin/env node
/** The `jobledger` command. */
// Before the program is loaded.
import './cli/inlining.js';
import './cli/navigator.js';

const { command } = await import('./cli/command.js');
await command();
