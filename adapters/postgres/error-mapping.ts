/** Every SQLSTATE and every error of the socket, as one of the store's errors. Nothing else in this folder looks at codes. */
import { attempting } from '../attempting.js';
import { ledgerClosed, rejected, unavailable, type StoreError } from '../../domain/errors.js';

/** A store error on its way through the adapter's own promises; it never leaves the adapter. */
export class StoreFailure extends Error {
  constructor(readonly storeError: StoreError) {
    super(storeError._tag);
  }
}

const UNAVAILABLE_CODES = [
  /^08/, // connection exceptions
  /^40/, // rolled back: serialisation failure, deadlock, unknown completion
  /^53/, // disk full, out of memory, too many connections
  /^25006$/, // read-only: a standby, or a primary that was demoted; the next connection may lead to its successor
  /^57014$/, // cancelled, by statement_timeout too
  /^57P0/, // the server shuts down, crashed or starts
  /^58/, // input or output error of the server's system
  /^55P03$/, // lock_timeout
  /^25P0[34]$/, // idle_in_transaction_session_timeout, transaction_timeout
  /^E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOTFOUND|HOSTDOWN)$/,
];

// node-postgres gives these no code.
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout e(xceeded|xpired)|Query read timeout|Client (has encountered|was closed)|timeout exceeded)/;

// Its statements come too late: who has ended the pool has closed the ledger.
const ENDED_POOL = 'Cannot use a pool after calling end on the pool';

export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** An AggregateError of the socket (localhost tried as ::1 and 127.0.0.1) has an empty message of its own. */
const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map((each: unknown) => messageOf(each)).join('; ');
  }
  if (!(error instanceof Error)) return String(error);
  const details = 'detail' in error && typeof error.detail === 'string' ? ` (${error.detail})` : '';
  const hint = 'hint' in error && typeof error.hint === 'string' ? ` ${error.hint}` : '';
  return `${error.message}${details}${hint}`;
};

export const toStoreError = (error: unknown): StoreError => {
  if (error instanceof StoreFailure) return error.storeError;
  const code = codeOf(error);
  const message = messageOf(error);
  if (message.startsWith(ENDED_POOL)) return ledgerClosed;
  const mayPass =
    isStalePlan(error) ||
    (code === undefined
      ? UNAVAILABLE_MESSAGES.test(message)
      : UNAVAILABLE_CODES.some((known) => known.test(code)));
  return mayPass ? unavailable(message) : rejected(message);
};

/** Field case 27: the table changed under a prepared statement. */
export const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === '0A000' && messageOf(error).startsWith('cached plan must not change result type');

/** The statement was refused for the values it carries: a part of the batch may still be fine. */
export const isAboutValues = (error: unknown): boolean => /^(22|23|54)/.test(codeOf(error) ?? '');

export const attempt = attempting(toStoreError);
