// The little of it that is used here, so that types are checked the same whether it is installed or not (`paths` in tsconfig.json).
import type { BenchJob } from '../protocol.js';

interface Options {
  readonly [name: string]: unknown;
}

export class PgBoss {
  constructor(options: Options);
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(): Promise<void>;
  createQueue(name: string, options?: Options): Promise<void>;
  send(name: string, data: BenchJob): Promise<unknown>;
  insert(name: string, jobs: readonly { readonly data: BenchJob }[]): Promise<unknown>;
  work(
    name: string,
    options: Options,
    handler: (jobs: readonly { readonly data: BenchJob }[]) => Promise<void>,
  ): Promise<string>;
}
