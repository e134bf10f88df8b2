// The worker process of a peer: node work.mjs ORDER, a ProducerOrder without tasks as JSON.
import { observe } from './observe.mjs';

/** @type {import('../protocol.js').ProducerOrder} */
const { system: name, url, settings } = JSON.parse(process.argv[2] ?? '{}');
/** @type {{ system: import('../protocol.js').System }} */
const { system } = await import(`./${name}.mjs`);
await system.work?.(url, settings, observe);
