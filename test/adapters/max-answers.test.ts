import { describe, expect, it } from 'vitest';
import { judge, type Purpose } from '../../src/adapters/max/answers.ts';
import { sentShape, successShape } from '../../src/adapters/max/messages.ts';
import type { Answered, Reply } from '../../src/adapters/transport.ts';

const now = new Date('2026-03-02T10:00:00Z');

function answered(status: number, body: unknown, headers: Record<string, string> = {}): Answered {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers, body: text };
}

function errorOf(reply: Reply, purpose: Purpose = 'send') {
  const shape = purpose === 'send' ? sentShape : successShape;
  const judged = judge(reply, purpose, shape, now);
  if (judged.ok) throw new Error('It was taken for a success.');
  return judged.error;
}

const closed = { category: 'PERMANENT', scope: 'channel' };
const content = { category: 'PERMANENT', scope: 'delivery' };
const unknown = { category: 'TRANSIENT', scope: 'delivery', code: 'outcome_unknown' };

describe('what MAX says to a send', () => {
  it.each([
    [401, 'verify.token', 'Invalid access_token'],
    [401, 'verify.token', 'Query parameter access_token is deprecated'],
    [403, 'verify.token', 'Invalid access_token'],
    [403, 'chat.denied', 'error.dialog.suspended'],
    [403, 'chat.denied', 'chat.send.msg.no.permission.because.not.admin'],
    [403, 'access.denied', 'Access denied'],
    [403, 'account.blocked', 'Account is blocked'],
    [404, 'chat.not.found', 'Chat 990000015 not found'],
    [404, 'not.found', 'Chat not found by link'],
    [403, 'never.seen', 'Something'],
    [401, 'never.seen', 'Something'],
    [404, 'never.seen', 'Something'],
    // Refused by their codes, whatever the status.
    [400, 'chat.denied', 'Something'],
    [400, 'verify.token', 'Something'],
    [400, 'not.found', 'Something'],
  ])('%i %s (%s) closes the channel', (status, code, message) => {
    const error = errorOf(answered(status, { code, message }));
    expect(error).toMatchObject({ ...closed, code });
    expect(error.message).toContain(message);
    expect(error.retryAfterMs).toBeUndefined();
  });

  it.each([
    { message: 'error.dialog.notfound' },
    { code: 'something', message: 'error.dialog.notfound' },
    { code: 'dialog.not.found', message: 'error.dialog.notfound' },
  ])('404 without a dialog closes the channel, under whatever code: %j', (body) => {
    expect(errorOf(answered(404, body))).toMatchObject({ ...closed, code: 'dialog.not.found' });
  });

  it.each([
    [400, 'proto.payload', 'Must be only one file attachment in message'],
    [400, 'proto.payload', 'No `photos`, `url` or `token` provided. Check payload.'],
    [400, 'proto.payload', "Field 'webApp' cannot be null"],
    [400, 'proto.payload', 'errors.required'],
    [400, 'proto.payload', "Can't deserialize body"],
    [400, 'never.seen', 'text: size must be between 0 and 4000'],
    [405, 'method.not.allowed', 'Method PATCH is not allowed'],
    [413, 'proto.payload', 'Request is too large'],
    [415, 'unsupported.media.type', 'Content-Type must be application/json'],
  ])('%i %s (%s) refuses the content', (status, code, message) => {
    expect(errorOf(answered(status, { code, message }))).toMatchObject({ ...content, code });
  });

  it.each(['attachment.not.ready', 'proto.payload'])(
    'a video that is not supported is refused for good, also under the code %s',
    (code) => {
      const message = 'Key: errors.process.attachment.video.not.supported';
      const error = errorOf(answered(400, { code, message }));
      expect(error).toMatchObject({ ...content, code: 'attachment.not.supported' });
    },
  );

  it.each([
    { code: 'attachment.not.ready', message: 'Key: errors.process.attachment.file.not.processed' },
    { code: 'attachment.not.ready', message: '' },
    { code: 'attachment.not.ready' },
    { code: 'proto.payload', message: 'Key: errors.process.attachment.file.not.processed' },
  ])('an attachment that is not ready is tried again: %j', (body) => {
    expect(errorOf(answered(400, body))).toEqual({
      category: 'TRANSIENT',
      scope: 'delivery',
      code: 'attachment.not.ready',
      message: expect.stringContaining('attachment.not.ready'),
      raw: { status: 400, body },
    });
  });

  it.each([
    [{}, 1000],
    [{ 'retry-after': '0' }, 1000],
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': 'Mon, 02 Mar 2026 10:00:09 GMT' }, 9000],
    [{ 'retry-after': '999999999' }, 86_400_000],
    [{ 'retry-after': 'soon' }, 1000],
  ])('429 with %j cools the platform down for %i ms', (headers, retryAfterMs) => {
    const body = { code: 'too.many.requests', message: 'Too many requests' };
    const cooled = { category: 'TRANSIENT', scope: 'platform', retryAfterMs };
    expect(errorOf(answered(429, body, headers))).toMatchObject({
      ...cooled,
      code: 'too.many.requests',
    });
    expect(errorOf(answered(429, '<html>', headers))).toMatchObject({ ...cooled, code: '429' });
    const other = answered(429, { code: 'never.seen' }, headers);
    expect(errorOf(other)).toMatchObject({ ...cooled, code: 'never.seen' });
  });

  it.each([
    [500, { code: 'internal.error', message: 'Internal error' }],
    [503, { code: 'service.unavailable', message: 'Service unavailable' }],
    [500, { code: 'proto.payload', message: 'a server that failed does not know what it did' }],
    [500, { success: false, message: 'no' }],
    [502, '<html>Bad Gateway</html>'],
    [504, ''],
    [408, { code: 'timeout' }],
  ])('%i %j has an unknown outcome', (status, body) => {
    expect(errorOf(answered(status, body))).toMatchObject(unknown);
  });

  it.each([
    '',
    '{"message":{"body":{"mid":"mid.0000',
    '<html>OK</html>',
    '{"code":"never.seen","message":"something"}',
    '{"code":"internal.error","message":"Internal error"}',
  ])('200 with the body %j has an unknown outcome', (body) => {
    expect(errorOf(answered(200, body))).toMatchObject(unknown);
  });

  it.each([
    [{ code: 'chat.denied', message: 'error.dialog.suspended' }, closed],
    [{ code: 'proto.payload', message: 'errors.required' }, content],
    [{ code: 'proto.payload', error: 'errors.required' }, content],
    [{ code: 'attachment.not.ready' }, { category: 'TRANSIENT', code: 'attachment.not.ready' }],
    [{ code: 'too.many.requests' }, { scope: 'platform', retryAfterMs: 1000 }],
    [
      { success: false, message: 'Internal error' },
      { ...content, code: 'success_false' },
    ],
    [{ success: false }, { ...content, code: 'success_false' }],
  ])('a refusal with status 200 is one: %j', (body, meaning) => {
    expect(errorOf(answered(200, body))).toMatchObject(meaning);
  });

  it('a message is one, also beside a code', () => {
    const body = { code: 'x', message: { body: { mid: 'mid.1', seq: 1 } } };
    expect(judge(answered(200, body), 'send', sentShape, now)).toEqual({
      ok: true,
      value: { message: { body: { mid: 'mid.1' } } },
    });
  });

  it('a code that no record takes gives way to the status', () => {
    for (const code of ['a b', '<b>', 'x'.repeat(65), 'ключ', '***']) {
      expect(errorOf(answered(400, { code })).code).toBe('400');
    }
    expect(errorOf(answered(400, { code: 12 })).code).toBe('12');
    expect(errorOf(answered(400, { code: 'constructor' })).code).toBe('constructor');
  });

  it('words of any length are cut, and no character in two', () => {
    for (const message of ['🐕'.repeat(5000), `x${'🐕'.repeat(5000)}`]) {
      const error = errorOf(answered(400, { code: 'proto.payload', message }));
      expect(error.message.length).toBeLessThan(600);
      expect(error.message.isWellFormed()).toBe(true);
    }
  });

  it('a redirect comes from something in between, and is tried again', () => {
    expect(errorOf(answered(302, ''))).toMatchObject({ category: 'TRANSIENT', code: '302' });
  });
});

describe('a call that did not get through', () => {
  const lost: Reply = { kind: 'unknown', code: 'timeout', reason: 'no answer within 5 ms' };
  const unsent: Reply = { kind: 'not_sent', code: 'ECONNREFUSED', reason: 'was refused' };

  it.each(['send', 'change', 'read', 'upload'] as const)('was not sent: %s', (purpose) => {
    expect(errorOf(unsent, purpose)).toMatchObject({ category: 'TRANSIENT', code: 'unreachable' });
  });

  it.each([
    ['send', 'outcome_unknown'],
    ['change', 'outcome_unknown'],
    // Nothing can have arrived in the chat.
    ['read', 'read_failed'],
    ['upload', 'upload_failed'],
  ] as const)('%s without an answer is %s', (purpose, code) => {
    const expected = { category: 'TRANSIENT', scope: 'delivery', code };
    expect(errorOf(lost, purpose)).toMatchObject(expected);
    expect(errorOf(answered(500, { code: 'internal.error' }), purpose)).toMatchObject(expected);
    expect(errorOf(answered(502, '<html>'), purpose)).toMatchObject(expected);
    expect(errorOf(answered(200, '{'), purpose)).toMatchObject(expected);
  });
});

describe('what MAX says to a change', () => {
  it('that nothing is there concerns the message, not the channel', () => {
    const body = { code: 'not.found', message: 'Message not found' };
    for (const purpose of ['change', 'read', 'upload'] as const) {
      expect(errorOf(answered(404, body), purpose)).toMatchObject({
        ...content,
        code: 'not.found',
      });
      expect(errorOf(answered(404, ''), purpose)).toMatchObject({ ...content, code: '404' });
    }
    expect(errorOf(answered(404, ''), 'send')).toMatchObject({ ...closed, code: '404' });
  });

  it('with a code that nobody has seen is not believed, whatever else it says', () => {
    const body = { success: true, code: 'never.seen', message: 'something' };
    const error = errorOf(answered(200, body), 'change');
    expect(error).toMatchObject(unknown);
    expect(error.message).toContain('never.seen');
  });

  it('by its flag alone is a refusal in its words', () => {
    const error = errorOf(answered(200, { success: false, message: 'too old' }), 'change');
    expect(error).toMatchObject({ ...content, code: 'success_false' });
    expect(error.message).toContain('too old');
  });
});

it('what people wrote in a chat does not get into the record', () => {
  const body = { messages: 'not a list', text: 'private' };
  expect(JSON.stringify(errorOf(answered(200, body), 'read'))).not.toContain('private');
});
