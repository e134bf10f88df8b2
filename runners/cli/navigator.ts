/**
 * Node.js has had `navigator` since version 21. Where it is missing, node-postgres asks for `Response` to learn which runtime it is on, and
 * by that has Node.js load its whole HTTP client: 60 to 80 ms of every command.
 */
if (!('navigator' in globalThis)) {
  Object.defineProperty(globalThis, 'navigator', {
    value: { userAgent: `Node.js/${process.versions.node.split('.')[0]}` },
    configurable: true,
    writable: true,
  });
}
