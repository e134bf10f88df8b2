// A process of its own that starts the embedded PostgreSQL of a home, prints what it got as JSON, and, asked to
// linger, stays until it is killed. Run: node --import tsx test/support/embedded-process.ts HOME [linger]
import { startEmbedded } from '../../adapters/embedded/index.js';

const [, , home, linger] = process.argv;
const started = await startEmbedded(home ?? '', (line) => process.stderr.write(`${line}\n`))();
process.stdout.write(`${JSON.stringify(started)}\n`);
if (linger !== undefined) setInterval(() => undefined, 60_000);
