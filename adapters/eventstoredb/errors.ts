/** Every way in which a call to the server ends badly, as what it means for us. Nothing else in this folder looks at error types. */
import { attempting } from '../attempting.js';
import type { CommandError, CurrentRevision } from '@eventstore/db-client';
import { clientPackage } from './client-package.js';
import { rejected, unavailable, type StoreError } from '../../domain/errors.js';

/** A store error on its way through the adapter's own promises; it never leaves the adapter. */
export class StoreFailure extends Error {
  constructor(readonly storeError: StoreError) {
    super(
      storeError._tag === 'Unavailable' || storeError._tag === 'Rejected'
        ? storeError.message
        : storeError._tag,
    );
  }
}

/** A call that was not answered in time. Whether it was done is unknown, and so is whether its connection lives. */
export class Unanswered extends Error {}

/** A call that the server ended, without a reason, before it had given what was asked for. */
export class Ended extends Error {}

export type Fault =
  | { readonly _tag: 'WrongRevision'; readonly current: CurrentRevision }
  | { readonly _tag: 'TooLarge'; readonly limit: number }
  | { readonly _tag: 'NoStream' }
  /** Done or not done: nobody knows. */
  | { readonly _tag: 'Unknown'; readonly message: string; readonly poisons: boolean }
  | { readonly _tag: 'Refused'; readonly message: string };

const unknown = (message: string, poisons = false): Fault => ({ _tag: 'Unknown', message, poisons });
const refused = (message: string): Fault => ({ _tag: 'Refused', message });

/** The client keeps the failure of a discovery and answers with it for ever after: such a client is thrown away. */
const POISON = /Failed to discover/;
/** What the socket and grpc-js say without a code of their own. */
const PASSING =
  /ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|write after end|No connection established|closed/i;

const ofCommand = (error: CommandError): Fault => {
  switch (error.type) {
    case 'wrong-expected-version':
      return { _tag: 'WrongRevision', current: error.actualVersion };
    case 'maximum-append-size-exceeded':
      return { _tag: 'TooLarge', limit: error.maxAppendSize };
    case 'stream-not-found':
    case 'no-stream':
      return { _tag: 'NoStream' };
    case 'timeout':
    case 'deadline-exceeded':
    case 'unavailable':
    case 'cancelled':
    case 'not-leader':
      return unknown(error.message || error.type);
    case 'unknown':
      // "On the client" is our own cancelling of a call that nobody waits for any more.
      return /Cancelled on client|RST_STREAM|INTERNAL|RESOURCE_EXHAUSTED(?!.*larger than max)/.test(
        error.message,
      )
        ? unknown(error.message)
        : refused(error.message);
    default:
      return refused(error.message || error.type);
  }
};

const asCommand = (error: Error): Error => {
  try {
    return clientPackage.convertToCommandError(error);
  } catch {
    return error; // an error with a code and without details
  }
};

export const faultOf = (error: unknown): Fault => {
  if (error instanceof Unanswered) return unknown(error.message, true);
  if (error instanceof Ended) return unknown(error.message);
  if (!(error instanceof Error)) return refused(String(error));
  const told = asCommand(error);
  if (clientPackage.isCommandError(told)) return ofCommand(told);
  if (POISON.test(told.message)) return unknown(told.message, true);
  return PASSING.test(told.message) ? unknown(told.message) : refused(told.message);
};

export const toStoreError = (error: unknown): StoreError => {
  if (error instanceof StoreFailure) return error.storeError;
  const fault = faultOf(error);
  switch (fault._tag) {
    case 'Unknown':
      return unavailable(`EventStoreDB: ${fault.message}`);
    case 'Refused':
      return rejected(`EventStoreDB: ${fault.message}`);
    case 'WrongRevision':
    case 'TooLarge':
    case 'NoStream':
      return rejected(`EventStoreDB: ${fault._tag}`);
  }
};

export const attempt = attempting(toStoreError);
