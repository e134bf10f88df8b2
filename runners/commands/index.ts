/** Every command, in the order of the help page: the order in which one meets them. */
import type { CliCommand } from './command.js';

// Loaded when they are named: all of them together take longer to load than most take to run.
const loaders: Readonly<Record<string, () => Promise<CliCommand>>> = {
  demo: async () => (await import('./demo.js')).demo,
  migrate: async () => (await import('./migrate.js')).migrate,
  url: async () => (await import('./url.js')).url,
  enqueue: async () => (await import('./enqueue.js')).enqueue,
  import: async () => (await import('./import.js')).importCommand,
  work: async () => (await import('./work.js')).workCommand,
  project: async () => (await import('./project.js')).project,
  queues: async () => (await import('./queues.js')).queues,
  top: async () => (await import('./top.js')).top,
  showjobs: async () => (await import('./showjobs.js')).showjobs,
  pause: async () => (await import('./pause.js')).pause,
  resume: async () => (await import('./resume.js')).resume,
  configure: async () => (await import('./configure.js')).configure,
  job: async () => (await import('./job.js')).job,
  history: async () => (await import('./history.js')).history,
  explain: async () => (await import('./explain.js')).explain,
  executions: async () => (await import('./executions.js')).executions,
  trace: async () => (await import('./trace.js')).trace,
  retry: async () => (await import('./operations.js')).retry,
  cancel: async () => (await import('./operations.js')).cancel,
  release: async () => (await import('./operations.js')).release,
  replay: async () => (await import('./replay.js')).replay,
  audit: async () => (await import('./audit.js')).audit,
  rebuild: async () => (await import('./rebuild.js')).rebuild,
  export: async () => (await import('./export.js')).exportCommand,
  restore: async () => (await import('./restore.js')).restore,
  prune: async () => (await import('./prune.js')).prune,
  stop: async () => (await import('./stop.js')).stop,
};

export const allCommands = (): Promise<readonly CliCommand[]> =>
  Promise.all(Object.values(loaders).map((load) => load()));

/** The command that the line begins with; all of them where it begins with anything else. */
export const commandsFor = async ([first = '']: readonly string[]): Promise<readonly CliCommand[]> => {
  const load = Object.hasOwn(loaders, first) ? loaders[first] : undefined;
  return load === undefined ? allCommands() : [await load()];
};
