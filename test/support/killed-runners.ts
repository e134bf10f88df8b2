// What a runner that was killed has left behind.
import type { Ledger } from '../../runners/ledger.js';
import { column, everyHistory } from './ledger.js';
import { until } from './waiting.js';

/** The URL under which a process's connections can be told from others. */
export const urlFor = (ledger: Ledger, name: string): string => {
  const url = new URL(ledger.url);
  url.searchParams.set('application_name', name);
  return url.href;
};

/** Until the server has done, and forgotten, all that the killed process had asked of it. */
export const untilGone = (ledger: Ledger, name: string): Promise<true> =>
  until(`the connections of ${name} are gone`, async () => {
    const [count] = await column(
      ledger,
      'SELECT count(*)::text FROM pg_stat_activity WHERE application_name = $1',
      name,
    );
    return count === '0';
  });

/** Claims that stand: the job's id and the token of each. */
export const heldClaims = async (ledger: Ledger): Promise<readonly { jobId: string; token: string }[]> => {
  const held: { jobId: string; token: string }[] = [];
  for (const [jobId, events] of await everyHistory(ledger)) {
    let token: string | undefined;
    for (const { event } of events) {
      if (event.type === 'JobClaimed') token = event.data.token;
      else if (event.type !== 'AttemptStarted') token = undefined;
    }
    if (token !== undefined) held.push({ jobId, token });
  }
  return held;
};

/** Claims that expired, as `heldClaims` gives those that stand. */
export const expiredClaims = async (ledger: Ledger): Promise<readonly { jobId: string; token: string }[]> =>
  [...(await everyHistory(ledger))].flatMap(([jobId, events]) =>
    events.flatMap(({ event }) =>
      event.type === 'LeaseExpired' ? [{ jobId, token: event.data.token }] : [],
    ),
  );
