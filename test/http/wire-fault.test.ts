import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { wireFaultOf } from '../../src/http/wire-fault.ts';

const withCode = (code: unknown): Error =>
  Object.assign(new Error('connect to 10.0.0.1'), { code });

describe('a fault of the wire', () => {
  it.each([
    ['ECONNREFUSED', 'unavailable', 'refused the connection', false],
    ['ENOTFOUND', 'unavailable', 'cannot be found: the host name is not known', false],
    ['ECONNRESET', 'unavailable', 'broke off the connection', true],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', 'could not be reached in time', false],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout', 'did not answer in time', true],
    [
      'CERT_HAS_EXPIRED',
      'untrusted',
      'cannot be trusted: no secure connection could be made',
      false,
    ],
    ['ESOMETHING', 'unavailable', 'could not be reached', true],
  ])('says what the server did, and whether the request can have arrived: %s', (code, ...rest) => {
    const [kind, words, mayHaveArrived] = rest;
    expect(wireFaultOf(withCode(code))).toEqual({ code, kind, words, mayHaveArrived });
  });

  it('is found inside of what a client wraps it in', () => {
    const wrapped = new Error('no luck', { cause: new AggregateError([withCode('ECONNREFUSED')]) });
    expect(wireFaultOf(wrapped)).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('is told of an answer that is not HTTP', () => {
    expect(wireFaultOf(new errors.HTTPParserError('bad'))).toMatchObject({ kind: 'not_http' });
  });

  it.each([undefined, 'text', new Error('plain'), withCode('see http://10.0.0.1'), withCode(7)])(
    'is not made of anything else: %s',
    (error) => {
      expect(wireFaultOf(error)).toBeUndefined();
    },
  );
});
