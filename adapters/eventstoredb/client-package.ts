/** The client package, loaded with the first module that needs it: a ledger on PostgreSQL has no use for it, and it takes long. */
import type * as Package from '@eventstore/db-client';

export const clientPackage: typeof Package = await import('@eventstore/db-client');
