import { describe, expect, it } from 'vitest';
import { judge, type Purpose } from '../../src/adapters/max/answers.ts';
import { sentShape, successShape } from '../../src/adapters/max/messages.ts';
import type { Answered, Reply } from '../../src/http/transport.ts';

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
    [403, 'account.blocked', 'Account is blocked'],
    [401, 'never.seen', 'Something'],
    // Refused by its code, whatever the status.
    [400, 'verify.token', 'Something'],
  ])('%i %s (%s) refuses the credential', (status, code, message) => {
    expect(errorOf(answered(status, { code, message }))).toEqual({
      category: 'TRANSIENT',
      scope: 'platform',
      code: 'credential_refused',
      outcome: 'refused',
      cause: 'credential',
      message: `MAX says ${code}, ${message}`,
      raw: { status, body: { code, message } },
    });
  });

  it.each([
    [403, 'chat.denied', 'error.dialog.suspended', 'not_allowed'],
    [403, 'chat.denied', 'chat.send.msg.no.permission.because.not.admin', 'not_allowed'],
    [403, 'access.denied', 'Access denied', 'not_allowed'],
    [404, 'chat.not.found', 'Chat 990000015 not found', 'chat_not_found'],
    [404, 'not.found', 'Chat not found by link', 'chat_not_found'],
    [403, 'never.seen', 'Something', 'not_allowed'],
    [404, 'never.seen', 'Something', 'chat_not_found'],
    // Refused by their codes, whatever the status.
    [400, 'chat.denied', 'Something', 'not_allowed'],
    [400, 'not.found', 'Something', 'chat_not_found'],
  ])('%i %s (%s) closes the channel: %s', (status, said, message, code) => {
    const error = errorOf(answered(status, { code: said, message }));
    expect(error).toMatchObject({ ...closed, code });
    expect(error.message).toBe(`MAX says ${said}, ${message}`);
    expect(error.retryAfterMs).toBeUndefined();
  });

  it.each([
    { message: 'error.dialog.notfound' },
    { code: 'something', message: 'error.dialog.notfound' },
    { code: 'dialog.not.found', message: 'error.dialog.notfound' },
  ])('404 without a dialog closes the channel, under whatever code: %j', (body) => {
    expect(errorOf(answered(404, body))).toMatchObject({ ...closed, code: 'chat_not_found' });
  });

  it.each([
    [400, 'proto.payload', 'Must be only one file attachment in message', 'validation_failed'],
    [400, 'proto.payload', 'No `photos`, `url` or `token` provided.', 'validation_failed'],
    [400, 'proto.payload', "Field 'webApp' cannot be null", 'validation_failed'],
    [400, 'proto.payload', 'errors.required', 'validation_failed'],
    [400, 'proto.payload', "Can't deserialize body", 'validation_failed'],
    [413, 'proto.payload', 'Request is too large', 'validation_failed'],
    [413, 'never.seen', 'Request is too large', 'validation_failed'],
    [400, 'never.seen', 'text: size must be between 0 and 4000', 'refused'],
    [405, 'method.not.allowed', 'Method PATCH is not allowed', 'refused'],
    [415, 'unsupported.media.type', 'Content-Type must be application/json', 'refused'],
  ])('%i %s (%s) refuses the content: %s', (status, said, message, code) => {
    const error = errorOf(answered(status, { code: said, message }));
    expect(error).toMatchObject({ ...content, code });
    expect(error.message).toBe(`MAX says ${said}, ${message}`);
  });

  it.each(['attachment.not.ready', 'proto.payload'])(
    'a video that is not supported is refused for good, also under the code %s',
    (code) => {
      const message = 'Key: errors.process.attachment.video.not.supported';
      const error = errorOf(answered(400, { code, message }));
      expect(error).toMatchObject({ ...content, code: 'validation_failed' });
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
      code: 'media_not_ready',
      outcome: 'refused',
      cause: 'not_ready',
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
    const cooled = {
      category: 'TRANSIENT',
      scope: 'platform',
      code: 'rate_limited',
      retryAfterMs,
    };
    for (const said of [body, '<html>', { code: 'never.seen' }]) {
      expect(errorOf(answered(429, said, headers))).toMatchObject(cooled);
    }
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
    [503, { code: 'service.unavailable' }],
    [502, '<html>'],
    [408, ''],
  ])('%i %j is waited out as long as it asks for, and stays unknown', (status, body) => {
    const error = errorOf(answered(status, body, { 'retry-after': '120' }));
    expect(error).toMatchObject({ ...unknown, retryAfterMs: 120_000 });
    expect(errorOf(answered(status, body)).retryAfterMs).toBeUndefined();
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
    [{ code: 'attachment.not.ready' }, { category: 'TRANSIENT', code: 'media_not_ready' }],
    [{ code: 'too.many.requests' }, { scope: 'platform', retryAfterMs: 1000 }],
    [
      { success: false, message: 'Internal error' },
      { ...content, code: 'refused' },
    ],
    [{ success: false }, { ...content, code: 'refused' }],
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
      expect(errorOf(answered(400, { code })).message).toBe('MAX says 400');
    }
    expect(errorOf(answered(400, { code: 12 })).message).toBe('MAX says 12');
    expect(errorOf(answered(400, { code: 'constructor' }))).toMatchObject({
      code: 'refused',
      message: 'MAX says constructor',
    });
  });

  it('words of any length are cut, and no character in two', () => {
    for (const message of ['🐕'.repeat(5000), `x${'🐕'.repeat(5000)}`]) {
      const error = errorOf(answered(400, { code: 'proto.payload', message }));
      expect(error.message.length).toBeLessThan(600);
      expect(error.message.isWellFormed()).toBe(true);
    }
  });

  it('a redirect comes from something in between, and is tried again', () => {
    expect(errorOf(answered(302, ''))).toMatchObject({
      category: 'TRANSIENT',
      code: 'unexpected_answer',
    });
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
    const codes = { change: 'message_not_found', read: 'message_not_found', upload: 'refused' };
    for (const purpose of ['change', 'read', 'upload'] as const) {
      const expected = { ...content, code: codes[purpose] };
      expect(errorOf(answered(404, body), purpose)).toMatchObject(expected);
      expect(errorOf(answered(404, ''), purpose)).toMatchObject(expected);
    }
    expect(errorOf(answered(404, ''), 'send')).toMatchObject({ ...closed, code: 'chat_not_found' });
  });

  it('with a code that nobody has seen is not believed, whatever else it says', () => {
    const body = { success: true, code: 'never.seen', message: 'something' };
    const error = errorOf(answered(200, body), 'change');
    expect(error).toMatchObject(unknown);
    expect(error.message).toContain('never.seen');
  });

  it('by its flag alone is a refusal in its words', () => {
    const error = errorOf(answered(200, { success: false, message: 'too old' }), 'change');
    expect(error).toMatchObject({ ...content, code: 'not_changeable' });
    expect(error.message).toContain('too old');
  });
});

it('what people wrote in a chat does not get into the record', () => {
  const body = { messages: 'not a list', text: 'private' };
  expect(JSON.stringify(errorOf(answered(200, body), 'read'))).not.toContain('private');
});
