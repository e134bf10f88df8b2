// Root hooks of every mocha run.
import { endTestServer } from './postgres.js';

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await endTestServer();
  },
};
