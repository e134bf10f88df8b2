// A failure's text may be of any length and any shape: the outcome stands, the retry comes at its time, the tables get a short text.
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { hasLoneSurrogate, utf8Length } from '../../domain/bytes.js';
import { decodeEvent } from '../../domain/events.js';
import { errorFacts } from '../../domain/job/error-facts.js';
import type { ErrorFacts } from '../../domain/job/facts.js';
import { executionLog } from '../../projections/execution-log.js';
import { statusTraceLog } from '../../projections/status-trace-log.js';
import { at, claim, enqueue, fail, start } from '../support/given-commands.js';
import { rowsAfter, streamOf } from '../support/given-rows.js';
import { after, event, given } from '../support/job-specification.js';

const caused = (levels: number, message: string): Error => {
  let error = new Error('the first cause');
  for (let level = 1; level <= levels; level += 1) error = new Error(`${message}${level}`, { cause: error });
  return error;
};

const long = new Error('m'.repeat(100_000), { cause: caused(49, 'c'.repeat(3_000)) });
const running = after(enqueue(), claim(), start());

const bytesOf = (error: ErrorFacts): number => utf8Length(JSON.stringify(error));

/** Texts of a value, wherever they stand in it. */
const texts = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
};

describe('field case 16: a message of 100,000 characters and 50 nested causes', () => {
  const command = fail({ error: errorFacts(long) });

  it('is one failed attempt with its retry at the expected time', () => {
    given(running)
      .when(command)
      .then(event('AttemptFailed', { next: 'retry' }), event('RetryScheduled', { notBefore: at(14) }))
      .leaving('Waiting', { attempts: 1 });
  });

  it('abandons at the limit all the same', () => {
    given(after(enqueue({ retry: { ...enqueue().job.retry, maxAttempts: 1 } }), claim(), start()))
      .when(command)
      .then(event('AttemptFailed', { next: 'abandon' }), event('JobAbandoned', { attempts: 1 }));
  });

  it('is kept in the event up to a limit, with marks where it was cut', () => {
    const { message, causes = [] } = command.error;
    expect(message).to.have.lengthOf(8_000);
    expect(message.endsWith('m…')).to.equal(true);
    expect(causes).to.have.lengthOf(11);
    expect(causes[0]?.message).to.have.lengthOf(2_000).and.to.match(/c…$/);
    expect(causes.at(-1)).to.deep.equal({ name: '…', message: 'further causes are left out' });
  });

  it('is at most 2,000 characters in the tables', () => {
    const events = streamOf([...running, ...after(enqueue(), claim(), start(), command).slice(3)]);
    const [row] = rowsAfter(executionLog, events);
    expect(row).to.include({ is_success: false, complete_time: at(4) });
    for (const text of [
      row?.['failure_cause'],
      ...rowsAfter(statusTraceLog, events).map(({ message }) => message),
    ]) {
      expect(Array.from(String(text)).length).to.be.at.most(2_000);
    }
    expect(String(row?.['failure_cause'])).to.match(/^Error: m+…$/);
  });

  it('stays far below what a store takes in one append, even written in the widest way', () => {
    const wide = new Error('\u0001'.repeat(100_000), { cause: caused(50, '\u0001'.repeat(100_000)) });
    for (const error of [long, wide, caused(50, '漢'.repeat(100_000)), caused(50, '😀'.repeat(100_000))]) {
      expect(bytesOf(errorFacts(error))).to.be.below(600_000);
    }
  });
});

describe('field case 16: an error of a hostile shape', () => {
  const throwing = (name: string): object =>
    Object.defineProperty(new Error('kept'), name, {
      get: () => {
        throw new Error('not today');
      },
    });
  const cyclic = new Error('round');
  cyclic.cause = cyclic;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const endless: object = new Proxy(new Error('endless'), {
    get: (target, key, receiver): unknown => (key === 'cause' ? receiver : Reflect.get(target, key)),
  });
  const unprintable = Object.assign(() => 1, {
    toString: () => {
      throw new Error('not today');
    },
  });

  const shapes: readonly (readonly [what: string, thrown: unknown, name: string, message: string])[] = [
    ['a name that throws when read', throwing('name'), 'Error', 'kept'],
    ['a stack that throws when read', throwing('stack'), 'Error', 'kept'],
    ['a cause that throws when read', throwing('cause'), 'Error', 'kept'],
    ['a message that throws when read', throwing('message'), 'Error', '{}'],
    ['a proxy that was revoked', revoked.proxy, 'Error', 'a value that cannot be shown'],
    ['itself as its cause', cyclic, 'Error', 'round'],
    ['ever new causes', endless, 'Error', 'endless'],
    ['a text', 'just a text', 'Error', 'just a text'],
    ['nothing', undefined, 'Error', 'undefined'],
    ['null', null, 'Error', 'null'],
    ['a symbol', Symbol('s'), 'Error', 'Symbol(s)'],
    ['a BigInt', 5n, 'Error', '5'],
    ['a function that cannot be printed', unprintable, 'Error', 'a value that cannot be shown'],
    ['an object that JSON cannot carry', { a: 1n }, 'Error', 'a value that cannot be shown'],
    ['a plain object', { code: 7 }, 'Error', '{"code":7}'],
    [
      'an empty name and a number for a message',
      { name: '', message: 7 },
      'Error',
      '{"name":"","message":7}',
    ],
    ['NUL in name and message', { name: 'E\u0000', message: 'a\u0000b' }, 'E\ufffd', 'a\ufffdb'],
    ['half a surrogate pair', new Error('x\ud83d'), 'Error', 'x\ufffd'],
    ['the other half', new RangeError('\ude00x'), 'RangeError', '\ufffdx'],
  ];
  for (const [what, thrown, name, message] of shapes) {
    it(`is kept as a failure where it is ${what}`, () => {
      const error = errorFacts(thrown);
      expect(error).to.include({ name, message });
      for (const text of texts(error)) {
        expect(text.includes('\u0000') || hasLoneSurrogate(text)).to.equal(false);
      }
      const [failed] = after(enqueue(), claim(), start(), fail({ error })).slice(3);
      if (failed === undefined) expect.fail();
      const data: unknown = JSON.parse(JSON.stringify(failed.data));
      const metadata = { schemaVersion: 1, correlationId: '', causationId: '', by: '', occurredAt: at(4) };
      expect(decodeEvent({ type: failed.type, data, metadata })).to.deep.equal(E.right(failed));
    });
  }

  it('marks every cut, also in text whose characters take two units', () => {
    for (const length of [8_000, 8_001, 16_000, 50_000]) {
      const characters = Array.from(errorFacts(new Error('😀'.repeat(length))).message);
      expect(characters).to.have.lengthOf(8_000);
      expect(characters.at(-1)).to.equal(length === 8_000 ? '😀' : '…');
    }
  });

  it('keeps exactly ten causes without a mark', () => {
    const causes = errorFacts(caused(10, 'level ')).causes ?? [];
    expect(causes).to.have.lengthOf(10);
    expect(causes.at(-1)?.message).to.equal('the first cause');
  });
});
