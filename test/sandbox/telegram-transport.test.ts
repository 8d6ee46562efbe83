import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, sendRaw } from '../support/http/raw-socket.ts';
import {
  png,
  startTelegram,
  supergroup,
  type TelegramSandbox,
  token,
  user,
} from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeAll(async () => {
  sandbox = await startTelegram();
});

afterAll(() => sandbox.close());

async function request(path: string, init: RequestInit = {}) {
  const answer = await fetch(`${sandbox.url}${path}`, init);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const refusal = (code: number, description: string) =>
  JSON.stringify({ ok: false, error_code: code, description });

describe('parameters', () => {
  const markup = JSON.stringify({ inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] });
  const fields = { chat_id: String(user), text: 'hello', reply_markup: markup };
  const multipart = new FormData();
  for (const [name, value] of Object.entries(fields)) multipart.set(name, value);
  const json = { 'content-type': 'application/json' };

  it.each<[string, string, RequestInit]>([
    ['the query of a GET', `?${new URLSearchParams(fields).toString()}`, {}],
    ['a form', '', { method: 'POST', body: new URLSearchParams(fields) }],
    ['multipart', '', { method: 'POST', body: multipart }],
    ['JSON with strings', '', { method: 'POST', headers: json, body: JSON.stringify(fields) }],
    [
      'JSON with values',
      '',
      {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ ...fields, chat_id: user, reply_markup: JSON.parse(markup) }),
      },
    ],
  ])('come in %s', async (_where, query, init) => {
    const { status, text } = await request(`/bot${token}/sendMessage${query}`, init);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      ok: true,
      result: { text: 'hello', reply_markup: JSON.parse(markup) },
    });
  });

  it('in the query win over those in the body', async () => {
    const body = new URLSearchParams({ text: 'body' });
    const path = `/bot${token}/sendMessage?chat_id=${user}&text=query`;
    const { text } = await request(path, { method: 'POST', body });
    expect(JSON.parse(text)).toMatchObject({ result: { text: 'query' } });
  });

  it('name a public chat by its name, in any case', async () => {
    const { text } = await request(`/bot${token}/sendMessage?chat_id=@TOWN&text=a`);
    expect(JSON.parse(text)).toMatchObject({ result: { chat: { id: supergroup } } });
  });
});

describe('the path', () => {
  it('takes methods in any case, and the test environment', async () => {
    for (const path of ['GETME', 'getme', 'test/getMe']) {
      const { status } = await request(`/bot${token}/${path}`);
      expect(status).toBe(200);
    }
  });

  it.each([
    ['/bot4200:wrong/getMe', 401, 'Unauthorized'],
    ['/botnonsense/getMe', 404, 'Not Found'],
    ['/bot0123:abc/getMe', 404, 'Not Found'],
    [`/bot${token}`, 404, 'Not Found'],
    ['/', 404, 'Not Found'],
    ['/something/else', 404, 'Not Found'],
    [`/bot${token}/noSuchMethod`, 404, 'Not Found: method not found'],
    [`/bot${token}/constructor`, 404, 'Not Found: method not found'],
    [`/file/bot${token}/documents/file_9.txt`, 404, 'Not Found'],
    ['/file/bot4200:wrong/documents/file_0.txt', 401, 'Unauthorized'],
  ])('%s is answered %i %s', async (path, code, description) => {
    const { status, text } = await request(path);
    expect([status, text]).toEqual([code, refusal(code, description)]);
  });

  it('with a malformed token is answered otherwise by a server of one’s own', async () => {
    sandbox.order('settings', { self_hosted: true });
    const { status, text } = await request('/botnonsense/getMe');
    sandbox.order('settings', { self_hosted: false });
    expect([status, text]).toEqual([401, refusal(401, 'Unauthorized: invalid token specified')]);
  });

  it('with a revoked token is refused until it is valid again', async () => {
    sandbox.order('revoke', { token });
    expect(await sandbox.words('getMe')).toBe('401 Unauthorized');
    sandbox.order('revoke', { token, revoked: false });
    expect(await sandbox.words('getMe')).toMatchObject({ id: 4200 });
  });
});

describe('the reader', () => {
  const path = `/bot${token}/sendMessage`;
  const json = { 'content-type': 'application/json' };

  it.each<[string, number, RequestInit]>([
    ['JSON that does not parse', 400, { headers: json, body: '{"chat_id":' }],
    ['JSON that is no object', 400, { headers: json, body: '[1]' }],
    [
      'more than 1 MiB of parameters',
      413,
      { body: new URLSearchParams({ text: 'x'.repeat(1_048_577) }) },
    ],
    [
      'broken multipart',
      400,
      { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: '--b\r\nx' },
    ],
  ])('refuses %s without a word', async (_what, status, init) => {
    const answer = await request(path, { method: 'POST', ...init });
    expect([answer.status, answer.text]).toEqual([status, '']);
  });

  it('refuses more than 50 files without a word', async () => {
    const form = new FormData();
    for (let index = 0; index <= 50; index += 1) form.set(`f${index}`, new Blob(['x']), 'x');
    const answer = await request(path, { method: 'POST', body: form });
    expect([answer.status, answer.text]).toEqual([413, '']);
  });

  it('says that an upload beyond 50 MB is too large, before it has come', async () => {
    const head = post(path, '').replace('Content-Length: 0', 'Content-Length: 60000000');
    const socket = await sendRaw(sandbox.url, head);
    const text = await socket.until((all) => all.endsWith('}'));
    socket.destroy();
    expect(text).toContain('HTTP/1.1 413');
    expect(text).toContain(refusal(413, 'Request Entity Too Large'));
  });

  it('says so of a file that is just too large', async () => {
    const form = new FormData();
    form.set('chat_id', String(user));
    form.set('document', new Blob([png(1, 1, 50 * 1024 * 1024 + 1)]), 'big.png');
    const answer = await request(`/bot${token}/sendDocument`, { method: 'POST', body: form });
    expect([answer.status, answer.text]).toEqual([413, refusal(413, 'Request Entity Too Large')]);
  });
});
