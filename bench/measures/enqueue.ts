/** Enqueueing: one at a time with one caller and with sixteen, and a thousand a call. One producer process. */
import { produce, withDatabase, type Figures, type Setting } from './measuring.js';
import type { Task, TaskReport } from '../protocol.js';

const perSecond = ({ jobs, milliseconds }: TaskReport): number => (jobs * 1_000) / milliseconds;

export const measureEnqueue = ({ contestant, database, sizes }: Setting): Promise<Figures> =>
  withDatabase(database, async ({ url }) => {
    const { warmUpMs, rateMs } = sizes;
    const rate = (callers: number, perCall: number, milliseconds: number): Task => ({
      kind: 'rate',
      callers,
      perCall,
      milliseconds,
    });
    const reports = await produce(contestant, url, contestant.settings, [
      { kind: 'set-up' },
      rate(16, 1, warmUpMs),
      rate(1, 1, rateMs),
      rate(16, 1, rateMs),
      rate(1, 1_000, warmUpMs),
      rate(1, 1_000, rateMs),
    ]);
    const [, , one, sixteen, , many] = reports;
    if (one === undefined || sixteen === undefined || many === undefined)
      throw new Error('a report is missing');
    return {
      'enqueue-1': perSecond(one),
      'enqueue-16': perSecond(sixteen),
      'enqueue-1000': perSecond(many),
    };
  });
