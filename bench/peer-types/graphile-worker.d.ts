// The little of it that is used here, so that types are checked the same whether it is installed or not (`paths` in tsconfig.json).
import type { BenchJob } from '../protocol.js';

interface Options {
  readonly preset: { readonly worker: Readonly<Record<string, unknown>> };
}

interface WorkerUtils {
  readonly migrate: () => Promise<void>;
  readonly addJob: (identifier: string, payload: BenchJob) => Promise<unknown>;
  readonly addJobs: (
    jobs: readonly { readonly identifier: string; readonly payload: BenchJob }[],
  ) => Promise<unknown>;
  readonly release: () => Promise<void>;
}

export const makeWorkerUtils: (options: Options) => Promise<WorkerUtils>;
export const run: (
  options: Options & { readonly taskList: Readonly<Record<string, (payload: BenchJob) => void>> },
) => Promise<unknown>;
