// How many streams of a protocol double hold an event of a type: each record of the log is looked at once, however often one asks.
import type { EventLog } from './log.js';

export const streamsWith = ({ records }: Pick<EventLog, 'records'>, type: string): (() => number) => {
  const streams = new Set<string>();
  let next = 0;
  return () => {
    for (; next < records.length; next += 1) {
      const record = records[next];
      if (record?.type === type) streams.add(record.stream);
    }
    return streams.size;
  };
};
