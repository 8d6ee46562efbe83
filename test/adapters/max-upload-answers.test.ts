import { describe, expect, it } from 'vitest';
import { judgeUpload, type UploadType } from '../../src/adapters/max/upload-answers.ts';
import type { Reply } from '../../src/http/transport.ts';

const now = new Date('2026-03-02T10:00:00Z');
const xml = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<retval>1</retval>';

function judged(type: UploadType, status: number, body: string, promised?: string) {
  return judgeUpload({ kind: 'answered', status, headers: {}, body }, type, promised, now);
}

function errorOf(type: UploadType, status: number, body: string) {
  const answer = judged(type, status, body, 'promised');
  if (answer.ok) throw new Error('It was taken for a success.');
  return answer.error;
}

describe('the token of an upload', () => {
  it.each([
    ['image', '{"photos":{"a/b=":{"token":"T1"}}}', undefined, 'T1'],
    ['image', '{"photos":{"a":{"token":"T1"},"b":{"token":"T2"}}}', undefined, 'T1'],
    ['file', '{"fileId":123,"token":"T3"}', undefined, 'T3'],
    ['file', '{"token":"T3"}', undefined, 'T3'],
    ['video', xml, 'T4', 'T4'],
    ['audio', '<retval>1</retval>', 'T5', 'T5'],
  ] as const)('of %s is read from %s', (type, body, promised, token) => {
    expect(judged(type, 200, body, promised)).toEqual({ ok: true, value: token });
  });

  it.each([
    ['image', '{"photos":{}}'],
    ['image', '{"photos":{"a":{"token":""}}}'],
    ['image', '{"token":"T"}'],
    ['image', xml],
    ['file', '{"fileId":123}'],
    ['file', ''],
    ['video', '<retval>0</retval>'],
    ['video', '<?xml version="1.0"'],
    ['video', '<html>OK</html>'],
    ['audio', ''],
  ] as const)('of %s is not read from %j, and the upload is tried again', (type, body) => {
    expect(errorOf(type, 200, body)).toMatchObject({
      category: 'TRANSIENT',
      scope: 'delivery',
      code: 'upload_failed',
    });
  });

  it('of a video is missing when MAX promised none', () => {
    expect(judged('video', 200, xml)).toMatchObject({ ok: false });
  });
});

describe('the upload host', () => {
  it.each([
    ['file', 200, '{"code":"upload.error","message":"File extension is forbidden"}'],
    ['file', 415, '{"code":"upload.error","message":"File extension is forbidden"}'],
    ['image', 200, '{"error_code":4,"error_data":"IMAGE_INVALID_FORMAT"}'],
    ['video', 200, '{"error_code":"4","error_data":{"x":1}}'],
    ['image', 400, ''],
    ['file', 413, '<html>Request Entity Too Large</html>'],
  ] as const)('refuses %s for good with %i %s', (type, status, body) => {
    expect(errorOf(type, status, body)).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'validation_failed',
    });
  });

  it('is quoted', () => {
    const body = '{"code":"upload.error","message":"File extension is forbidden"}';
    expect(errorOf('file', 200, body).message).toContain('File extension is forbidden');
    const odd = '{"error_code":4,"error_data":"IMAGE_INVALID_FORMAT"}';
    expect(errorOf('image', 200, odd).message).toContain('IMAGE_INVALID_FORMAT');
    for (const words of ['🐕'.repeat(5000), `x${'🐕'.repeat(5000)}`]) {
      const { message } = errorOf('image', 200, `{"error_code":4,"error_data":"${words}"}`);
      expect(message.length).toBeLessThan(600);
      expect(message.isWellFormed()).toBe(true);
    }
  });

  it.each([301, 401, 403, 404, 408, 410, 500, 502, 503])(
    'with %i says nothing of the chat: another address may take the file',
    (status) => {
      const body = '{"code":"upload.error","message":"Upload not found"}';
      expect(errorOf('file', status, body)).toMatchObject({
        category: 'TRANSIENT',
        scope: 'delivery',
        code: 'upload_failed',
      });
    },
  );

  it('that fails may say when to come back', () => {
    const reply = {
      kind: 'answered',
      status: 503,
      headers: { 'retry-after': '9' },
      body: '',
    } as const;
    expect(judgeUpload(reply, 'file', undefined, now)).toMatchObject({
      error: { code: 'upload_failed', retryAfterMs: 9000 },
    });
  });

  it('may ask for patience', () => {
    expect(errorOf('file', 429, '')).toMatchObject({
      category: 'TRANSIENT',
      scope: 'platform',
      code: 'rate_limited',
      retryAfterMs: 1000,
    });
  });

  it.each([
    [{ kind: 'not_sent', code: 'ENOTFOUND', reason: 'x' }, 'unreachable', 'TRANSIENT'],
    [{ kind: 'unknown', code: 'timeout', reason: 'x' }, 'upload_failed', 'TRANSIENT'],
    [
      { kind: 'not_sent', code: 'source_missing', reason: 'x' },
      'media_missing_origin',
      'PERMANENT',
    ],
    [{ kind: 'unknown', code: 'source_failed', reason: 'x' }, 'media_unreadable', 'TRANSIENT'],
  ] as const satisfies readonly (readonly [Reply, string, string])[])(
    'without an answer leaves no doubt: %j is %s',
    (reply, code, category) => {
      const answer = judgeUpload(reply, 'file', undefined, now);
      expect(answer).toMatchObject({ ok: false, error: { code, category, scope: 'delivery' } });
    },
  );
});
