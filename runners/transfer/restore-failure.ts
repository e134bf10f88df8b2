/** Why nothing (more) was restored. */
import type { StoreError } from '../../domain/errors.js';

export type RestoreFailure =
  | StoreError
  /** The ledger has a history that is not the file's. */
  | { readonly _tag: 'OtherHistory'; readonly message: string }
  | { readonly _tag: 'NotALedger'; readonly message: string };

export const otherHistory = (message: string): RestoreFailure => ({ _tag: 'OtherHistory', message });
