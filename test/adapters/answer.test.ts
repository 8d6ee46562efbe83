import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  judgeStatus,
  noAnswer,
  parseJson,
  rawAnswer,
  readAnswer,
  retryAfter,
  sendError,
} from '../../src/adapters/answer.ts';
import type { Answered } from '../../src/http/transport.ts';

const now = new Date('2026-03-01T12:00:00Z');

const answered = (status: number, body = '', headers: Record<string, string> = {}): Answered => ({
  kind: 'answered',
  status,
  headers,
  body,
});

describe('an error', () => {
  it('is as its code usually is unless it is said otherwise', () => {
    expect(sendError('rate_limited', 'words')).toEqual({
      category: 'TRANSIENT',
      scope: 'platform',
      code: 'rate_limited',
      outcome: 'refused',
      cause: 'pace',
      message: 'words',
    });
    expect(sendError('refused', 'words', { scope: 'channel', raw: 1 })).toEqual({
      category: 'PERMANENT',
      scope: 'channel',
      code: 'refused',
      outcome: 'refused',
      message: 'words',
      raw: 1,
    });
  });
});

describe('a reply without an answer', () => {
  it.each([
    ['not_sent', 'ECONNREFUSED', 'TRANSIENT', 'unreachable'],
    ['not_sent', 'timeout', 'TRANSIENT', 'unreachable'],
    ['not_sent', 'aborted', 'TRANSIENT', 'aborted'],
    ['not_sent', 'source_missing', 'PERMANENT', 'media_missing_origin'],
    ['not_sent', 'source_failed', 'TRANSIENT', 'media_unreadable'],
    ['unknown', 'ECONNRESET', 'TRANSIENT', 'outcome_unknown'],
    ['unknown', 'timeout', 'TRANSIENT', 'outcome_unknown'],
    ['unknown', 'aborted', 'TRANSIENT', 'outcome_unknown'],
    ['unknown', 'source_missing', 'PERMANENT', 'media_missing_origin'],
    ['unknown', 'source_failed', 'TRANSIENT', 'media_unreadable'],
  ] as const)('%s, %s is %s %s', (kind, reason, category, code) => {
    const outcome = code === 'outcome_unknown' ? 'unknown' : 'not_sent';
    expect(noAnswer({ kind, code: reason, reason: 'words' })).toMatchObject({
      category,
      scope: 'delivery',
      code,
      outcome,
      message: 'words',
    });
  });
});

describe('an answer that no table knows', () => {
  it.each([
    [200, 'TRANSIENT', 'delivery', 'outcome_unknown'],
    [299, 'TRANSIENT', 'delivery', 'outcome_unknown'],
    [302, 'TRANSIENT', 'delivery', 'unexpected_answer'],
    [400, 'PERMANENT', 'delivery', 'refused'],
    [401, 'TRANSIENT', 'platform', 'credential_refused'],
    [403, 'PERMANENT', 'channel', 'not_allowed'],
    [404, 'PERMANENT', 'channel', 'refused'],
    [408, 'TRANSIENT', 'delivery', 'outcome_unknown'],
    [413, 'PERMANENT', 'delivery', 'validation_failed'],
    [429, 'TRANSIENT', 'platform', 'rate_limited'],
    [500, 'TRANSIENT', 'delivery', 'outcome_unknown'],
    [503, 'TRANSIENT', 'delivery', 'outcome_unknown'],
  ])('with status %i is %s for the %s, %s', (status, category, scope, code) => {
    const error = judgeStatus(answered(status, '<html>'), now);
    expect(error).toMatchObject({ category, scope, code, raw: { status, body: '<html>' } });
    expect(error.message).toContain(`status ${status}`);
    expect(error).not.toHaveProperty('retryAfterMs');
  });

  it.each([
    [429, 'rate_limited'],
    [408, 'outcome_unknown'],
    [500, 'outcome_unknown'],
    [503, 'outcome_unknown'],
  ])('with status %i says how long to wait when it is asked to: %s', (status, code) => {
    const error = judgeStatus(answered(status, '', { 'retry-after': '3' }), now);
    expect(error).toMatchObject({ code, retryAfterMs: 3000 });
  });

  it.each([200, 302, 400, 401, 403, 404, 413])('with status %i asks for no wait', (status) => {
    const error = judgeStatus(answered(status, '', { 'retry-after': '3' }), now);
    expect(error).not.toHaveProperty('retryAfterMs');
  });
});

describe('the time to wait', () => {
  it.each([
    ['7', 7000],
    [' 7 ', 7000],
    ['0', 0],
    ['0.0001', 1],
    ['86400', 86_400_000],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['999999999', 2_592_000_000], // 30 days, the longest that an outcome may ask for
    ['Fri, 31 Dec 9999 23:59:59 GMT', 2_592_000_000],
    ['soon', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    ['2026', 2_026_000],
    ['99999999999', undefined],
    ['', undefined],
  ])('of "%s" is %s ms', (header, expected) => {
    expect(retryAfter(answered(429, '', { 'retry-after': header }), now).retryAfterMs).toBe(
      expected,
    );
  });

  it('is not there without the header', () => {
    expect(retryAfter(answered(429), now)).toEqual({});
  });
});

describe('reading', () => {
  const Ok = z.object({ ok: z.literal(true), id: z.number().transform(String) });

  it('gives what the schema makes of an answer', () => {
    expect(readAnswer(answered(200, '{"ok":true,"id":5}'), Ok)).toEqual({ ok: true, id: '5' });
  });

  it.each(['', '<html>', '{"ok":true', '{"ok":false,"id":5}', 'null', '[]'])(
    'gives nothing for %j',
    (body) => {
      expect(readAnswer(answered(200, body), Ok)).toBeUndefined();
    },
  );

  it('takes JSON apart, and nothing else', () => {
    expect(parseJson(' {"a":[1]} ')).toEqual({ a: [1] });
    expect(parseJson('{"a"')).toBeUndefined();
  });

  it('replaces what PostgreSQL does not take', () => {
    const body = '{"a\\u0000":["x\\u0000y","\\ud83d","\\ud83d\\ude00",1]}';
    expect(parseJson(body)).toEqual({ 'a\ufffd': ['x\ufffdy', '\ufffd', '😀', 1] });
  });
});

describe('what is kept of an answer', () => {
  it.each([
    ['JSON', '{"a":1}', { a: 1 }],
    ['a page', '<html>', '<html>'],
    ['nothing', '', ''],
    ['a long page', 'x'.repeat(5000), 'x'.repeat(2000)],
    ['no half character', `x${'😀'.repeat(2000)}`, `x${'😀'.repeat(999)}\ufffd`],
    ['JSON of few characters and many bytes', `"${'中'.repeat(20_000)}"`, `"${'中'.repeat(1999)}`],
    ['JSON without end', `"${'x'.repeat(100_000)}"`, `"${'x'.repeat(1999)}`],
  ])('%s', (_what, body, kept) => {
    expect(rawAnswer(answered(418, body))).toEqual({ status: 418, body: kept });
  });
});
