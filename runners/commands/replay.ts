/** `replay`: events as NDJSON, in order. */
import { InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { eventCodecs, isEventType } from '../../domain/events.js';
import type { EventStore } from '../../domain/ports.js';
import { unknownName } from '../../domain/nearest.js';
import { toJson } from '../cli/output.js';
import { eventLine } from '../reading/event-line.js';
import { replay as replayEvents } from '../reading/replay.js';
import type { CliCommand, CommandContext } from './command.js';
import { instant } from './instant-option.js';
import { collected } from './option-values.js';
import { done, negative, storeFailed, wrongUsage, type Outcome } from './outcome.js';

interface ReplayOptions {
  readonly stream?: string;
  readonly type?: readonly string[];
  readonly from?: bigint;
  readonly to?: bigint;
  readonly until?: string;
}

const position = (value: string): bigint => {
  if (!/^\d{1,18}$/.test(value))
    throw new InvalidArgumentError('It is a position: a whole number, as events carry it.');
  return BigInt(value);
};

/** A name that was mistyped would otherwise look like a stream without events of that kind. */
const unknownStream = async (store: EventStore, stream: string | undefined): Promise<Outcome | undefined> => {
  if (stream === undefined) return undefined;
  const first = await store.readStream(stream, { limit: 1 })();
  if (E.isLeft(first)) return storeFailed(first.left);
  return first.right.length === 0 ? negative(`there is no stream ${stream} in this ledger`) : undefined;
};

const replayIt = async (context: CommandContext, options: ReplayOptions): Promise<Outcome> => {
  const { type: types, ...range } = options;
  const stranger = types?.find((type) => !isEventType(type));
  if (stranger !== undefined)
    return wrongUsage(unknownName('event type', stranger, Object.keys(eventCodecs)));
  return context.withLedger('operator', async ({ store }) => {
    const unknown = await unknownStream(store, range.stream);
    if (unknown !== undefined) return unknown;
    const replayed = await replayEvents(store, { ...range, types }, (events) =>
      context.out.write(events.map((event) => `${toJson(eventLine(event))}\n`).join('')),
    );
    return E.isLeft(replayed) ? storeFailed(replayed.left) : done;
  });
};

export const replay: CliCommand = {
  name: 'replay',
  summary: 'print events as NDJSON, in order',
  examples: [
    'jobledger replay --type JobSuperseded --type JobAbandoned',
    'jobledger replay --until 2026-11-01T03:12:00Z | tail -1',
  ],
  register: (command, run) =>
    command
      .option('--stream <name>', 'only of this stream, such as job-01890000-0000-7000-8000-000000000007')
      .option('--type <type>', 'only of this event type (may be given several times)', collected)
      .option('--from <position>', 'from this position on', position)
      .option('--to <position>', 'up to this position', position)
      .option('--until <instant>', 'only what had been recorded by then: ISO 8601 with an offset', instant)
      .action((options: ReplayOptions) => run((context) => replayIt(context, options))),
};
