// Root hooks of every mocha run.
import { endLeftOver } from './left-over.js';
import { endTestServer } from './postgres.js';

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await endLeftOver();
    await endTestServer();
  },
};
