// Streams/Append, Streams/Delete: one append a call, answered as a server of version 23.10 does.
import * as grpc from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { goingDown, refusalOf, type Faults } from './faults.js';
import { type EventLog, type Expected, type Outcome, type Proposed } from './log.js';
import { begin, type Load } from './load.js';
import { expectedOf, failure, nameOf, proposedOf } from './messages.js';

const success = (revision: bigint, position: bigint | undefined): streams.AppendResp => {
  const done = new streams.AppendResp.Success().setCurrentRevision(revision.toString());
  if (position === undefined) done.setNoPosition(new shared.Empty());
  else {
    const at = new streams.AppendResp.Position();
    done.setPosition(at.setCommitPosition(position.toString()).setPreparePosition(position.toString()));
  }
  return new streams.AppendResp().setSuccess(done);
};

const wrongVersion = (expected: Expected, current: bigint | undefined): streams.AppendResp => {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (typeof expected === 'bigint') wrong.setExpectedRevision(expected.toString());
  else if (expected === 'no-stream') wrong.setExpectedNoStream(new shared.Empty());
  else wrong.setExpectedAny(new shared.Empty());
  if (current === undefined) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(current.toString());
  return new streams.AppendResp().setWrongExpectedVersion(wrong);
};

const tooLarge = () =>
  failure(grpc.status.INVALID_ARGUMENT, 'Maximum Append Size of 1048576 Exceeded.', {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': '1048576',
  });

const notAsExpected = (stream: string) =>
  failure(grpc.status.FAILED_PRECONDITION, 'Append failed due to WrongExpectedVersion.', {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': '0',
    'actual-version': '-1',
  });

const answer = (outcome: Outcome, expected: Expected, done: grpc.sendUnaryData<streams.AppendResp>): void => {
  switch (outcome._tag) {
    case 'Written':
    case 'Repeated':
      return done(null, success(outcome.revision, outcome.position));
    case 'WrongExpectedVersion':
      return done(null, wrongVersion(expected, outcome.current));
    case 'TooLarge':
      return done(tooLarge());
  }
};

/** A server may have lost what it needs to know a repeat by. */
const remembered = ({ forgetful }: Faults, log: EventLog, stream: string, outcome: Outcome): Outcome =>
  forgetful && outcome._tag === 'Repeated'
    ? { _tag: 'WrongExpectedVersion', current: log.stream(stream)?.at(-1)?.revision }
    : outcome;

export const appendCall =
  (
    log: EventLog,
    faults: Faults,
    load: Load,
  ): grpc.handleClientStreamingCall<streams.AppendReq, streams.AppendResp> =>
  (call, callback) => {
    begin(load);
    const done: typeof callback = (...reply) => {
      load.underWay -= 1;
      callback(...reply);
    };
    let options = new streams.AppendReq.Options();
    const events: Proposed[] = [];
    call.on('data', (request: streams.AppendReq) => {
      const message = request.getProposedMessage();
      if (message !== undefined) events.push(proposedOf(message));
      else options = request.getOptions() ?? options;
    });
    // A client that gives up or goes away is no fault of the server's.
    call.on('error', () => undefined);
    const write = (): void => {
      if (faults.silent) {
        load.underWay -= 1;
        return;
      }
      const refusal = refusalOf(faults);
      if (refusal !== undefined) return done(refusal);
      const expected = expectedOf(options);
      const stream = nameOf(options.getStreamIdentifier());
      const outcome = remembered(faults, log, stream, log.append(stream, expected, events));
      if (faults.lostReplies > 0) {
        faults.lostReplies -= 1;
        load.underWay -= 1;
        return;
      }
      if (faults.brokenReplies > 0) {
        faults.brokenReplies -= 1;
        return done(goingDown());
      }
      answer(outcome, expected, done);
    };
    call.on('end', () => {
      if (faults.held === 0) return write();
      faults.held -= 1;
      faults.waiting.push(write);
    });
  };

export const deleteCall =
  (log: EventLog, faults: Faults): grpc.handleUnaryCall<streams.DeleteReq, streams.DeleteResp> =>
  ({ request }, done) => {
    if (faults.silent) return;
    const refusal = refusalOf(faults);
    if (refusal !== undefined) return done(refusal);
    const options = request.getOptions() ?? new streams.DeleteReq.Options();
    const stream = nameOf(options.getStreamIdentifier());
    const position = log.remove(stream, expectedOf(options));
    if (position === undefined) return done(notAsExpected(stream));
    const at = new streams.DeleteResp.Position();
    at.setCommitPosition(position.toString()).setPreparePosition(position.toString());
    done(null, new streams.DeleteResp().setPosition(at));
  };
