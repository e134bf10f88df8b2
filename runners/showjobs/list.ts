/** The jobs of one type and status, in the order of their numbers, as they are listed. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { readJobParams } from '../../adapters/mediawiki/index.js';
import type { StoreError } from '../../domain/errors.js';
import {
  STATUSES,
  type JobRow,
  type JobsAsked,
  type OnPage,
  type Status,
} from '../../projections/reading-desk.js';
import type { Ledger } from '../ledger.js';
import type { ListedJob } from './job-line.js';
import { pageNamespace } from './prefixed-title.js';

export const isStatus = (text: string): text is Status => (STATUSES as readonly string[]).includes(text);

const listed = ({ params: bytes, ...row }: JobRow): ListedJob => {
  const params = readJobParams(bytes);
  return {
    ...row,
    namespace: pageNamespace(row.namespace, row.title),
    params: E.isRight(params) ? params.right : undefined,
  };
};

/** Stops early where `onPage` answers false. Gives the number of jobs handed over. */
export const listJobs = (
  { reading }: Pick<Ledger, 'reading'>,
  asked: JobsAsked,
  onPage: OnPage<ListedJob>,
): TaskEither<StoreError, number> => reading.jobs(asked, (rows) => onPage(rows.map(listed)));
