/** Groups of queues, one a wiki, over one or several ledgers. */
import * as E from 'fp-ts/lib/Either.js';
import { newId } from '../../../adapters/system.js';
import { checkSpecification, type JobSpecification } from '../../../domain/job/specification.js';
import { unknownName } from '../../../domain/nearest.js';
import {
  anything,
  callable,
  count,
  insist,
  isObject,
  memberFlaw,
  requestFlaw,
  wiki as wikiCheck,
  type Check,
} from '../request.js';
import { jobQueueError, type InvalidTypeConf, type JobQueueError } from './errors.js';
import { jobQueueGroup, pushAnywhere, type JobQueueGroup, type Storages } from './job-queue-group.js';
import { lazyBuffer, type LazyBuffer, type LazyOptions } from './lazy-buffer.js';
import type { QueueStorage } from './queue-storage.js';
import { DEFAULT, typeConf, withPolicy } from './type-conf.js';

export interface JobQueueGroupOptions {
  /** Ledgers by the names that `typeConf` knows them by. The one named `default` keeps what no policy puts elsewhere; a lone one does too. */
  readonly ledgers: Readonly<Record<string, { readonly queueStorage: QueueStorage }>>;
  /** Policies by type, and `default`: see the README. It may come from a file; it is decoded and checked. */
  readonly typeConf?: unknown;
  readonly lazy?: LazyOptions | undefined;
}

export interface JobQueueGroupFactory {
  /** The group of a wiki; the same one each time. Throws a TypeError where this cannot be the name of a wiki. */
  readonly group: (wiki?: string) => JobQueueGroup;
  /** Resolves when all jobs that were pushed lazily so far have been written, or told as unwritten. */
  readonly flush: () => Promise<void>;
}

const invalid = (path: string, message: string): E.Either<InvalidTypeConf, never> =>
  E.left({ _tag: 'InvalidTypeConf', path, message });

const anyLedgers: Check = (value) =>
  isObject(value) && Object.keys(value).length > 0
    ? undefined
    : 'is not an object of open ledgers by name, such as { default: ledger }';

const LAZY = { flushAt: count, everyMs: count, mostJobs: count, mostBytes: count, onUnwritten: callable };

const lazy: Check = (value) => {
  if (!isObject(value)) return 'is not an object such as { flushAt: 100 }';
  const flaw = memberFlaw(value, LAZY);
  return flaw === undefined ? undefined : `is not right: ${flaw}`;
};

/** `typeConf` is decoded on its own, and told by its path. */
const OPTIONS = { ledgers: anyLedgers, typeConf: anything, lazy };

const isStorage = (value: unknown): boolean =>
  isObject(value) &&
  ['push', 'pop', 'firstRank', 'sizes', 'configuredClasses', 'beforeClosing'].every(
    (name) => typeof Reflect.get(value, name) === 'function',
  );

const optionsFlaw = (options: JobQueueGroupOptions): E.Either<InvalidTypeConf, void> => {
  const flaw = requestFlaw('jobQueueGroupFactory', options, OPTIONS, ['ledgers']);
  if (flaw !== undefined) return invalid('', flaw);
  const stranger = Object.entries<unknown>(options.ledgers).find(
    ([, value]) => !isObject(value) || !isStorage(Reflect.get(value, 'queueStorage')),
  );
  return stranger === undefined
    ? E.right(undefined)
    : invalid(`ledgers.${stranger[0]}`, 'is not an open ledger, such as await promises.openLedger() gives');
};

const storagesOf = ({
  ledgers,
  typeConf: stated = {},
}: JobQueueGroupOptions): E.Either<InvalidTypeConf, Storages> => {
  const names = Object.keys(ledgers);
  const conf = typeConf(stated, names);
  if (E.isLeft(conf)) return conf;
  const usual = conf.right.policyOf(DEFAULT).ledger ?? (names.length === 1 ? names[0] : DEFAULT) ?? DEFAULT;
  const storage = ledgers[usual]?.queueStorage;
  if (storage === undefined)
    return invalid('typeConf.default.ledger', `is missing, and ${unknownName('ledger', usual, names)}`);
  const storageOf = (type: string): QueueStorage =>
    ledgers[conf.right.policyOf(type).ledger ?? usual]?.queueStorage ?? storage;
  const all = new Set([storage, ...conf.right.types.map(storageOf)]);
  return E.right({ conf: conf.right, storageOf, all: [...all] });
};

/** Checked and completed when they are pushed; an id of their own makes a second try harmless. */
const lazily =
  ({ conf }: Storages, buffer: LazyBuffer): LazyBuffer['add'] =>
  (jobs): E.Either<JobQueueError, void> => {
    const complete = jobs.map((job) =>
      withPolicy({ ...job, jobId: job.jobId ?? newId() }, conf.policyOf(job.type)),
    );
    const failures = complete.flatMap((specification: JobSpecification) => {
      const checked = checkSpecification(specification);
      return E.isLeft(checked) ? [{ specification, error: checked.left }] : [];
    });
    return failures.length > 0 ? E.left(jobQueueError(failures)) : buffer.add(complete);
  };

export const jobQueueGroupFactory = (
  options: JobQueueGroupOptions,
): E.Either<InvalidTypeConf, JobQueueGroupFactory> => {
  const flaw = optionsFlaw(options);
  if (E.isLeft(flaw)) return flaw;
  const storages = storagesOf(options);
  if (E.isLeft(storages)) return storages;
  const write = async (jobs: readonly JobSpecification[]) =>
    (await pushAnywhere(storages.right, jobs)).failures;
  const closings = storages.right.all.map(({ beforeClosing }) => beforeClosing);
  const buffer = lazyBuffer(write, { ...options.lazy, closings });
  const lazyPush = lazily(storages.right, buffer);
  const groups = new Map<string, JobQueueGroup>();
  return E.right({
    group: (wiki = 'default') => {
      const flaw = wikiCheck(wiki);
      insist(flaw === undefined ? undefined : `group: the wiki ${flaw}`);
      const group = groups.get(wiki) ?? jobQueueGroup(wiki, storages.right, lazyPush);
      groups.set(wiki, group);
      return group;
    },
    flush: buffer.flush,
  });
};
