#!/usr/bin/env node
/** The `jobledger` command. */
// It has to be there when node-postgres is loaded.
import './cli/navigator.js';

const { command } = await import('./cli/command.js');
await command();
