// The protocol double as a process of its own: node --import tsx test/support/eventstore-double/process.ts [PORT]. It prints its URL.
import { eventStoreDouble } from './index.js';

const double = await eventStoreDouble({ port: Number(process.argv[2] ?? 0) });
process.stdout.write(`${double.url}\n`);
