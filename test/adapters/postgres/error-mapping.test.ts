import { expect } from 'chai';
import { toStoreError } from '../../../adapters/postgres/error-mapping.js';

const failure = (code: string, message = 'it failed'): Error => Object.assign(new Error(message), { code });

describe('errors of PostgreSQL and of the socket', () => {
  for (const code of [
    '08006',
    '40001',
    '40P01',
    '53300',
    '53100',
    '55P03',
    '57014',
    '57P01',
    '57P03',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
  ]) {
    it(`${code} may pass: unavailable`, () => {
      expect(toStoreError(failure(code))).to.deep.equal({ _tag: 'Unavailable', message: 'it failed' });
    });
  }

  for (const message of ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect']) {
    it(`"${message}" has no code, and may pass: unavailable`, () => {
      expect(toStoreError(new Error(message))).to.deep.equal({ _tag: 'Unavailable', message });
    });
  }

  for (const code of ['42P01', '42501', '23514', '22P05', '28P01', '3D000', 'P0J01', '0A000']) {
    it(`${code} will not pass: rejected, in the server's words`, () => {
      expect(toStoreError(failure(code))).to.deep.equal({ _tag: 'Rejected', message: 'it failed' });
    });
  }

  it("the server's detail and hint are passed on", () => {
    const error = Object.assign(failure('23505', 'duplicate key.'), {
      detail: 'It is there.',
      hint: 'Look.',
    });
    expect(toStoreError(error)).to.have.property('message', 'duplicate key. (It is there.) Look.');
  });

  it('a refused connection to both addresses of a host says so, though its own message is empty', () => {
    const both = new AggregateError([
      new Error('connect ECONNREFUSED ::1:5432'),
      new Error('connect 127.0.0.1'),
    ]);
    expect(toStoreError(Object.assign(both, { code: 'ECONNREFUSED' }))).to.deep.equal({
      _tag: 'Unavailable',
      message: 'connect ECONNREFUSED ::1:5432; connect 127.0.0.1',
    });
  });
});
