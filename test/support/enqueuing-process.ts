// A producer as a process of its own: one job for every line it is sent. Run: node --import tsx enqueuing-process.ts URL SCHEMA TYPE
import { createInterface } from 'node:readline';
import { openLedger } from '../../runners/ledger.js';
import { right } from './outcome.js';

const [, , databaseUrl, schema = '', type] = process.argv;
const ledger = await right(
  openLedger({ databaseUrl, home: '', schema, by: 'enqueuing-process', report: () => undefined }),
);
process.stdout.write('ready\n');
for await (const wiki of createInterface({ input: process.stdin })) {
  const asked = performance.timeOrigin + performance.now();
  await ledger.producer.enqueue({ type, wiki, params: { asked } });
}
await ledger.close();
