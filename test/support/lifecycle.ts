// The life cycle as a diagram, found by putting every command to every state.
import * as E from 'fp-ts/lib/Either.js';
import type { JobCommand } from '../../domain/job/commands.js';
import { decide } from '../../domain/job/decide.js';
import { advanceJob } from '../../domain/job/fold.js';
import { noJob, type JobState } from '../../domain/job/state.js';
import {
  at,
  cancel,
  claim,
  deduplicated,
  enqueue,
  erase,
  expire,
  fail,
  importRow,
  refuse,
  release,
  requeue,
  retry,
  start,
  succeed,
  suppress,
} from './given-commands.js';

const heldThere = { token: 'token-1', claimedAt: at(0), leaseExpiresAt: at(30) };
const last = { ...retry, maxAttempts: 1 };
const late = { now: at(100), leaseExpiresAt: at(130) };

const commands: readonly JobCommand[] = [
  enqueue({ dedup: deduplicated }),
  enqueue({ retry: last }),
  importRow({ attempts: 1 }, { claim: heldThere }),
  importRow({ attempts: 3 }, { claim: heldThere }),
  importRow({ attempts: 3 }, { claim: heldThere, isAbandoned: true }),
  suppress(),
  claim({ ...late }),
  claim({ ...late, executedLater: { jobId: 'another' } }),
  start(),
  succeed(),
  fail(),
  refuse(),
  release(),
  expire({ now: at(200) }),
  cancel(),
  requeue(),
  erase(),
];

interface Arrow {
  readonly from: JobState['_tag'];
  readonly to: JobState['_tag'];
  readonly events: string;
}

const order = ['None', 'Waiting', 'Claimed', 'Running', 'Succeeded', 'Abandoned', 'Cancelled', 'Superseded'];

/** States are looked at once for each way they differ in what can happen next: by name and by how many attempts are left. */
const kindOf = (state: JobState): string =>
  state._tag === 'None'
    ? 'None'
    : `${state._tag} ${state.job.retry.maxAttempts - state.job.attempts} ${state.job.everClaimed} ${state.job.ignoreDuplicates}`;

export const lifecycleArrows = (): readonly Arrow[] => {
  const arrows = new Map<string, Arrow>();
  const seen = new Set<string>();
  const open: JobState[] = [noJob];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (seen.has(kindOf(state))) continue;
    seen.add(kindOf(state));
    for (const command of commands) {
      const decision = decide(command, state);
      if (E.isLeft(decision)) continue;
      const next = advanceJob(state, decision.right);
      const events = decision.right.map(({ type }) => type).join(' + ');
      arrows.set(`${state._tag} ${next._tag} ${events}`, { from: state._tag, to: next._tag, events });
      open.push(next);
    }
  }
  return [...arrows.values()];
};

const compare = (a: Arrow, b: Arrow): number =>
  order.indexOf(a.from) - order.indexOf(b.from) ||
  order.indexOf(a.to) - order.indexOf(b.to) ||
  a.events.localeCompare(b.events);

const shown = (state: string): string => (state === 'None' ? '[*]' : state);

/** Mermaid text; one line for each pair of states, its label the events that lead from the one to the other. */
export const lifecycleDiagram = (): string => {
  const labels = new Map<string, string[]>();
  const arrows = lifecycleArrows();
  for (const { from, to, events } of arrows.toSorted(compare)) {
    const line = `${shown(from)} --> ${shown(to)}`;
    labels.set(line, [...(labels.get(line) ?? []), events]);
  }
  const lines = [...labels].map(([line, events]) => `    ${line}: ${events.join(' / ')}`);
  const ends = order
    .filter((state) => arrows.every(({ from, to }) => from !== state || to === state))
    .map((state) => `    ${state} --> [*]`);
  return ['```mermaid', 'stateDiagram-v2', ...lines, ...ends, '```'].join('\n');
};
