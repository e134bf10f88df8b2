/** ElasticJob's task id: `type@-@item@-@source@-@ip@-@instance`; instance ends in the attempt's own id (a UUID). */
import { TASK_ID_SEPARATOR } from './names.js';
import type { ExecutionSource, Runner } from './facts.js';

export const MAX_TASK_ID = 255;

const UUID_LENGTH = 36;
/** What a cut may leave at the end, and the database cannot store. */
const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

interface TaskFacts {
  readonly type: string;
  readonly shardingItem: number;
  readonly source: ExecutionSource;
  readonly runner: Pick<Runner, 'ip' | 'instance'>;
}

/** All but the attempt's id. */
const headOf = ({ type, shardingItem, source, runner }: TaskFacts): string => {
  const head = [type, shardingItem, source, runner.ip].join(TASK_ID_SEPARATOR);
  const room = MAX_TASK_ID - head.length - TASK_ID_SEPARATOR.length - UUID_LENGTH - 1;
  const instance = runner.instance.slice(0, Math.max(0, room)).replace(HALF_CHARACTER, '');
  return `${head}${TASK_ID_SEPARATOR}${instance}-`;
};

// The attempts of a runner mostly differ by nothing but their ids: what stands before them is kept from one to the next.
let last: TaskFacts & { readonly head: string } = {
  type: '',
  shardingItem: -1,
  source: 'NORMAL_TRIGGER',
  runner: { ip: '', instance: '' },
  head: '',
};

const isLast = ({ type, shardingItem, source, runner }: TaskFacts): boolean =>
  type === last.type &&
  shardingItem === last.shardingItem &&
  source === last.source &&
  runner.ip === last.runner.ip &&
  runner.instance === last.runner.instance;

export const taskIdOf = (attempt: TaskFacts & { readonly attemptId: string }): string => {
  if (!isLast(attempt)) {
    const { type, shardingItem, source, runner } = attempt;
    last = { type, shardingItem, source, runner, head: headOf(attempt) };
  }
  return last.head + attempt.attemptId;
};

export const attemptIdOf = (taskId: string): string => taskId.slice(-UUID_LENGTH);

/** What stands for a task while a job has not begun: nobody holds it, and the job's own id takes the instance's place. */
export const unassignedTaskId = (type: string, shardingItem: number, jobId: string): string =>
  [type, shardingItem, 'NORMAL_TRIGGER', 'unassigned', jobId].join(TASK_ID_SEPARATOR);

export interface TaskParts {
  readonly type: string;
  readonly items: string;
  readonly source: string;
  readonly ip: string;
}

export const taskParts = (taskId: string): TaskParts => {
  const [type = '', items = '', source = '', ip = ''] = taskId.split(TASK_ID_SEPARATOR);
  return { type, items, source, ip };
};
