/** Where the embedded server listens now: it may have been stopped, and started on another port. */
import type pg from 'pg';
import { embeddedStatus } from '../adapters/embedded/index.js';

/** @param given the URL of a server that is not embedded */
export const serverFinder =
  (home: string, given: string | undefined, pools: readonly pg.Pool[]): (() => Promise<void>) =>
  async () => {
    const server = given === undefined ? await embeddedStatus(home)() : undefined;
    if (server?._tag !== 'Right' || !server.right.running) return;
    for (const { options } of pools) options.connectionString = server.right.url;
  };
