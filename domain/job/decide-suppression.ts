/** An enqueue answered with its survivor: the survivor takes over what would otherwise be lost with the suppressed one. */
import { defined } from '../defined.js';
import type { SuppressDuplicate } from './commands.js';
import type { Inherited, JobEvent } from './events.js';
import { placementOf } from './event-parts.js';
import { classRank, inheritedClass } from './facts.js';
import { withRootTimestamp } from './root.js';
import type { Job, Waiting } from './state.js';

export const suppressDuplicate = (command: SuppressDuplicate, state: Waiting): JobEvent => {
  const { job } = state;
  const inherited = inheritedFrom(command, state);
  const isSame = JSON.stringify(command.params) === JSON.stringify(job.enqueued.params);
  const placed = {
    ...job,
    ...inheritedClass(inherited, job),
    priority: inherited.priority ?? job.priority,
  };
  const root =
    job.root === undefined || inherited.rootTimestamp === undefined
      ? job.root
      : { ...job.root, timestamp: inherited.rootTimestamp };
  return {
    type: 'DuplicateSuppressed',
    data: defined({
      wiki: job.enqueued.wiki,
      type: job.enqueued.type,
      producer: command.producer,
      at: command.now,
      inherited,
      placement: placementOf({ ...placed, root }),
      jobId: command.jobId,
      requestId: command.requestId,
      params: isSame ? undefined : command.params,
      paramsDigest: isSame ? command.paramsDigest : undefined,
      renewed: inherited.rootTimestamp === undefined ? undefined : renewed(job, inherited.rootTimestamp),
      dueBefore: inherited.notBefore === undefined ? undefined : state.notBefore,
      dueAfter: inherited.notBefore,
      isOfOtherFamily:
        job.root === undefined || job.root.signature === command.root?.signature
          ? undefined
          : (true as const),
    }),
  };
};

const renewed = ({ params, enqueued }: Job, rootTimestamp: string) =>
  defined({
    params: withRootTimestamp(params, rootTimestamp),
    namespace: enqueued.namespace,
    title: enqueued.title,
  });

/**
 * Only what changes the survivor: a newer root timestamp, a higher priority, an earlier due time. A job of its queue's class counts as
 * normal here.
 */
const inheritedFrom = (command: SuppressDuplicate, { job, notBefore }: Waiting): Inherited => {
  const isUrgent =
    classRank(command.class) < classRank(job.class) ||
    (command.class === job.class && command.priority < job.priority);
  const due = command.notBefore ?? command.now;
  const hasNewerRoot =
    job.root !== undefined && command.root !== undefined && command.root.timestamp > job.root.timestamp;
  const inheritsClass = isUrgent && command.class !== job.class;
  return defined({
    rootTimestamp: hasNewerRoot ? command.root?.timestamp : undefined,
    class: inheritsClass ? command.class : undefined,
    hasOwnClass: inheritsClass && command.hasOwnClass === true ? (true as const) : undefined,
    priority: isUrgent ? command.priority : undefined,
    notBefore: notBefore !== undefined && due < notBefore ? due : undefined,
  });
};
