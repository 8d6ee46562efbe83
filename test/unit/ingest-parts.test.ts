import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceIdOf } from '../../src/http/trace.ts';
import { parseExactly } from '../../src/ingest/exact-json.ts';
import { jsonBreak } from '../../src/ingest/json-break.ts';
import { secretHashOf } from '../../src/ingest/secret.ts';

describe('the place where JSON breaks', () => {
  it.each([
    ['', 1, 1],
    ['   ', 1, 4],
    ['{', 1, 2],
    ['{"a"}', 1, 5],
    ['{"a":}', 1, 6],
    ['{"a":1,}', 1, 8],
    ['[1,]', 1, 4],
    ['[1 2]', 1, 4],
    ['{"a":1}}', 1, 8],
    ['{"a":tru}', 1, 6],
    ['{a:1}', 1, 2],
    ["{'a':1}", 1, 2],
    ['[01]', 1, 3],
    ['[1.]', 1, 3],
    ['[+1]', 1, 2],
    ['["\\x"]', 1, 3],
    ['["\\u12g4"]', 1, 3],
    ['["a\tb"]', 1, 4],
    ['["abc', 1, 6],
    ['{\n"a": 1\r\n"b": 2}', 3, 1],
    ['["Пёс", 🐕]', 1, 9],
    ['{"a":[}', 1, 7],
    ['NaN', 1, 1],
    ['{"a":1} // a comment', 1, 9],
  ])('%j: line %i, column %i', (text, line, column) => {
    expect((): unknown => JSON.parse(text)).toThrow(SyntaxError);
    expect(jsonBreak(text)).toEqual({ line, column });
  });

  it('is nowhere in JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        expect(jsonBreak(JSON.stringify(value, null, indent))).toBeUndefined();
      }),
    );
  });

  it('is somewhere exactly when the engine finds no JSON, and as far as JSON can go on', () => {
    const pieces = '{|}|[|]|,|:|"|\\|a|"a"|1|-|.|e|0|true|null| |\n|\\u12|\u0001'.split('|');
    const text = fc
      .array(fc.constantFrom(...pieces), { maxLength: 12 })
      .map((some) => some.join(''));
    const isJson = (each: string): boolean => {
      try {
        JSON.parse(each);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(text, (each) => {
        expect(jsonBreak(each) === undefined).toBe(isJson(each));
      }),
      { numRuns: 5000 },
    );
  });

  it('is found in a megabyte without a closing quote', () => {
    const text = `{"text":"${'x'.repeat(2 ** 20)}`;
    expect(jsonBreak(text)).toEqual({ line: 1, column: text.length + 1 });
  });
});

describe('JSON that is parsed exactly', () => {
  it('is written back as it was, number by number', () => {
    const text = '{"a":12345678901234567890,"b":1.10,"c":[1e400,-0.0,7],"d":"1.10","e":null}';
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  });
});

describe('the secret of a request', () => {
  const hash = secretHashOf({ 'x-outrider-secret': 's3cret' });

  it('is known by its SHA-256 in hex', () => {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['Bearer s3cret', 'bearer s3cret', 'Bearer   s3cret'])(
    'is the same as a bearer token: %s',
    (authorization) => {
      expect(secretHashOf({ authorization })).toBe(hash);
    },
  );

  it.each(['', 'Bearer', 'Bearer ', 's3cret', 'Basic s3cret', 'Bearer s3 cret'])(
    'is not in "%s"',
    (authorization) => {
      expect(secretHashOf({ authorization })).toBeUndefined();
    },
  );
});

describe('the trace of a request', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';

  it.each([
    [{ traceparent: `00-${trace}-b7ad6b7169203331-01` }, trace],
    [{ traceparent: `cc-${trace}-b7ad6b7169203331-01-later` }, trace],
    [{ traceparent: `00-${trace}-b7ad6b7169203331-01`, 'x-request-id': 'r1' }, trace],
    [{ traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, 'x-request-id': 'r1' }, 'r1'],
    [{ traceparent: `ff-${trace}-b7ad6b7169203331-01`, 'x-request-id': 'r1' }, 'r1'],
    [{ traceparent: `00-${trace}-b7ad6b7169203331-01-more`, 'x-request-id': 'r1' }, 'r1'],
    [{ traceparent: `00-${trace}-${'0'.repeat(16)}-01`, 'x-request-id': 'r1' }, 'r1'],
    [{ traceparent: 'nonsense', 'x-request-id': 'r1' }, 'r1'],
    [{ 'x-request-id': 'x'.repeat(128) }, 'x'.repeat(128)],
    [{ 'x-request-id': 'x'.repeat(129) }, undefined],
    [{ 'x-request-id': 'a b' }, undefined],
    [{}, undefined],
  ])('of %j is %s', (headers, expected) => {
    expect(traceIdOf(headers)).toBe(expected);
  });
});
