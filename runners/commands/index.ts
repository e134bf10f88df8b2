/** Every command, in the order of the help page: the order in which one meets them. */
import { audit } from './audit.js';
import type { CliCommand } from './command.js';
import { configure } from './configure.js';
import { demo } from './demo.js';
import { enqueue } from './enqueue.js';
import { executions } from './executions.js';
import { explain } from './explain.js';
import { history } from './history.js';
import { importCommand } from './import.js';
import { job } from './job.js';
import { migrate } from './migrate.js';
import { cancel, release, retry } from './operations.js';
import { pause } from './pause.js';
import { project } from './project.js';
import { queues } from './queues.js';
import { rebuild } from './rebuild.js';
import { replay } from './replay.js';
import { showjobs } from './showjobs.js';
import { resume } from './resume.js';
import { stop } from './stop.js';
import { top } from './top.js';
import { trace } from './trace.js';
import { url } from './url.js';
import { workCommand } from './work.js';

export const commands: readonly CliCommand[] = [
  demo,
  migrate,
  url,
  enqueue,
  importCommand,
  workCommand,
  project,
  queues,
  top,
  showjobs,
  pause,
  resume,
  configure,
  job,
  history,
  explain,
  executions,
  trace,
  retry,
  cancel,
  release,
  replay,
  audit,
  rebuild,
  stop,
];
