import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openOutrider } from '../../src/outrider.ts';
import {
  addChannel,
  addDelivery,
  addMessage,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { freePort } from '../support/http/free-port.ts';
import {
  openStatusServer,
  type StatusServer,
  type StatusServerOptions,
  statusToken,
} from '../support/http/status-server.ts';

// Who sees the status page, and what they see of it: over real sockets, without a browser.

const database = await useDatabase();
const folder = await useFolder();
const undo = useUndo();
const { admin, service } = database;
const now = (): string => after(60);

await addWorkspace(admin, 'city');
await addChannel(admin, 'city', 'news');
await addWorkspace(admin, 'shop');
await addChannel(admin, 'shop', 'offers');

async function open(options: Partial<StatusServerOptions> = {}): Promise<StatusServer> {
  const server = await openStatusServer({ client: service, now, ...options });
  undo.push(() => server.stop());
  return server;
}

const withToken = { tokenRef: 'env:STATUS_TOKEN', isOpen: false };

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function get(url: string, init: RequestInit = {}): Promise<Got> {
  const { status, headers, ...rest } = await fetchOnce(url, init);
  return { status, headers, text: await rest.text };
}

async function fetchOnce(url: string, init: RequestInit) {
  const answer = await fetch(url, { redirect: 'manual', ...init });
  return { status: answer.status, headers: answer.headers, text: answer.text() };
}

function signIn(url: string, token: string, more: Readonly<Record<string, string>> = {}) {
  return get(`${url}/status/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...more },
    body: new URLSearchParams({ token, next: '/status?workspace=shop' }),
  });
}

/** A request with headers that fetch does not let anybody set. */
function getRaw(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('the status page', () => {
  it('is off unless the configuration says who may see it, and says how to turn it on', async () => {
    const { url } = await open({ isOpen: false });
    const { status, text } = await get(`${url}/status`);
    expect(status).toBe(404);
    expect(text).toContain('OUTRIDER_STATUS_TOKEN_REF');
    expect(text).not.toContain('city');
  });

  it('asks for its token, and shows itself to who has it, by a cookie that is not the token', async () => {
    const { url, lines } = await open(withToken);
    const asked = await get(`${url}/status?workspace=shop`);
    expect(asked.status).toBe(401);
    expect(asked.text).toContain('type="password"');
    expect(asked.text).not.toContain('offers');
    const signed = await signIn(url, statusToken);
    expect([signed.status, signed.headers.get('location')]).toEqual([
      303,
      '/status?workspace=shop',
    ]);
    const cookie = signed.headers.get('set-cookie') ?? '';
    expect(cookie).toContain('HttpOnly; SameSite=Strict');
    expect(cookie).not.toContain(statusToken);
    const seen = await get(`${url}/status?workspace=shop`, { headers: { cookie } });
    expect(seen.status).toBe(200);
    expect(seen.text).toContain('offers');
    const left = await get(`${url}/status/logout`, { method: 'POST', headers: { cookie } });
    expect(left.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(lines.join('\n')).not.toContain(statusToken);
  });

  it.each(['', 'x', `${statusToken}x`, statusToken.slice(0, -1)])(
    'refuses another token, and gives no cookie: "%s"',
    async (token) => {
      const { url } = await open(withToken);
      const refused = await signIn(url, token);
      expect(refused.status).toBe(401);
      expect(refused.headers.get('set-cookie')).toBeNull();
      expect(refused.text).toContain('This is not the token');
      const bearer = { authorization: `Bearer ${token}x` };
      expect((await get(`${url}/status`, { headers: bearer })).status).toBe(401);
    },
  );

  it('keeps somebody signed in who signs in at another port of the machine with another token', async () => {
    const other = 'canary-token-of-another-page';
    const [first, second] = [
      await open(withToken),
      await open({ ...withToken, secrets: { STATUS_TOKEN: other } }),
    ];
    /** As a browser keeps them: by name, whatever the port. */
    const jar = new Map<string, string>();
    const keep = ({ headers }: Got): void => {
      const [, name = '', value = ''] =
        /^([^=]+)=([^;]*)/.exec(headers.get('set-cookie') ?? '') ?? [];
      jar.set(name, value);
    };
    const status = async ({ url }: StatusServer): Promise<number> => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      return (await get(`${url}/status`, { headers: { cookie } })).status;
    };
    keep(await signIn(first.url, statusToken));
    keep(await signIn(second.url, other));
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    keep(await get(`${second.url}/status/logout`, { method: 'POST' }));
    expect([await status(first), await status(second)]).toEqual([200, 401]);
  });

  it('takes the token as a bearer, and never from the address', async () => {
    const { url } = await open(withToken);
    const bearer = { authorization: `Bearer ${statusToken}` };
    expect((await get(`${url}/status`, { headers: bearer })).status).toBe(200);
    expect((await get(`${url}/status?token=${statusToken}`)).status).toBe(401);
  });

  it('takes no form from another site, and leads nobody to another site', async () => {
    const { url } = await open(withToken);
    expect((await signIn(url, statusToken, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/status@evil',
      '/status\r\nx: y',
    ]) {
      const answer = await get(`${url}/status/login`, {
        method: 'POST',
        body: new URLSearchParams({ token: statusToken, next }).toString(),
      });
      expect(answer.headers.get('location')).toBe('/status');
    }
  });

  it('says when its token cannot be read, and shows nothing meanwhile', async () => {
    const { url, lines } = await open({ ...withToken, secrets: {} });
    const refused = await get(`${url}/status`);
    expect(refused.status).toBe(503);
    expect((await signIn(url, '')).status).toBe(503);
    expect(lines.join('')).toContain('the token of the status page cannot be read');
  });

  it('trusts the header of a proxy only from the addresses of proxies', async () => {
    const trusted = await open({ isOpen: false, proxies: ['10.0.0.1', '127.0.0.0/8'] });
    const user = { 'x-forwarded-user': 'ann' };
    expect((await get(`${trusted.url}/status`, { headers: user })).status).toBe(200);
    expect((await get(`${trusted.url}/status`)).status).toBe(403);
    const other = await open({ isOpen: false, proxies: ['10.0.0.0/8', 'fd00::/8'] });
    expect((await get(`${other.url}/status`, { headers: user })).status).toBe(403);
  });

  it('is open to this machine, and not to what a proxy on this machine brings', async () => {
    const { url } = await open();
    expect((await get(`${url}/status`)).status).toBe(200);
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.7' },
      { forwarded: 'for=203.0.113.7' },
      { via: '1.1 proxy' },
      { host: '203.0.113.7' },
    ]) {
      expect(await getRaw(`${url}/status`, headers)).toBe(403);
    }
  });

  it('runs no script and no style but its own, in no frame, and is kept by no cache', async () => {
    const { url } = await open();
    for (const path of ['/status', '/status/posts?workspace=city&q=x', '/status/posts/nothing']) {
      const { headers, text } = await get(`${url}${path}`);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(text).not.toMatch(/<style|style="|<script>|onclick=/);
    }
  });

  it('shows the workspaces that it may, and then neither processes nor the outbox', async () => {
    const { url } = await open({ workspaces: ['shop'] });
    const shown = await get(`${url}/status`);
    expect(shown.text).toContain('offers');
    expect(shown.text).not.toContain('city');
    expect(shown.text).not.toContain('Processes');
    expect((await get(`${url}/status?workspace=city`)).status).toBe(404);
    expect((await get(`${url}/status/live?workspace=city`)).status).toBe(404);
    expect((await get(`${url}/status/deliveries?workspace=city`)).status).toBe(404);
    const all = await open();
    expect((await get(`${all.url}/status`)).text).toContain('Processes');
  });

  it('masks what people wrote, wherever it is shown', async () => {
    const { url } = await open();
    const phone = '+7 916 123-45-67';
    const text = `Lost dog, call ${phone} or ann@example.com <script>alert(1)</script>`;
    const message_id = await addMessage(admin, 'city', {
      payload: JSON.stringify({ type: 'text', text }),
      source_ref: `ref ${phone}`,
    });
    const error = { code: '400', message: `refused for ${phone}` };
    const failed = await addDelivery(admin, 'city', 'news', {
      message_id,
      status: 'failed_permanent',
      failed_at: start,
      last_error: JSON.stringify(error),
      rendered_text: text,
    });
    for (const path of [
      '/status?',
      `/status/posts/${failed}?`,
      '/status/posts?q=dog&',
      '/status/deliveries?',
    ]) {
      const { status, text: shown } = await get(`${url}${path}workspace=city`);
      expect(status).toBe(200);
      expect(shown).toContain('Lost dog');
      expect(shown).not.toContain('123-45-67');
      expect(shown).not.toContain('ann@example.com');
      expect(shown).not.toContain('<script>alert');
    }
  });

  it('searches for whatever somebody writes, and tells nothing of the database', async () => {
    const { url } = await open();
    const long = `Lost dog near the mill ${'and then '.repeat(60)}`;
    const message_id = await addMessage(admin, 'city', {
      payload: JSON.stringify({ type: 'text', text: long }),
    });
    await addDelivery(admin, 'city', 'news', { message_id, rendered_text: long });
    const found = await get(`${url}/status/posts?workspace=city&q=${encodeURIComponent(long)}`);
    expect(found.text).toContain('1 delivery');
    for (const q of ['mill\0', '\0', "'; select 1 --", '%', '\\', '(', '\ud800']) {
      const asked = await get(
        `${url}/status/posts?workspace=city&q=${encodeURIComponent(q.toWellFormed())}`,
      );
      expect(asked.status).toBe(200);
      expect(asked.text).not.toMatch(/invalid|encoding|syntax/);
    }
  });

  it('shows a post as people read it, and cuts nothing in half that is to be masked', async () => {
    const { url } = await open();
    const words = 'A dog with a blue collar and one white ear was seen at the old harbour';
    const title = `${words}, ann.orlova@example.com`;
    const message_id = await addMessage(admin, 'city', {
      payload: JSON.stringify({ type: 'text', title, text: 'Call 8 916 & ask' }),
    });
    const failed = await addDelivery(admin, 'city', 'news', {
      message_id,
      status: 'failed_permanent',
      failed_at: start,
      last_error: JSON.stringify({ code: '400', message: 'refused' }),
      rendered_text: `<b>${title}</b>\n\nCall +7 <i>916</i> 123-45-67 &amp; <a href="https://example.org/dog">ask</a>`,
      render_meta: JSON.stringify({ parts: [{ kind: 'text' }], format: 'HTML' }),
    });
    for (const path of [
      '/status?',
      `/status/posts/${failed}?`,
      '/status/posts?q=collar&',
      '/status/deliveries?status=failed_permanent&',
    ]) {
      const { text } = await get(`${url}${path}workspace=city`);
      expect(text).toContain(words);
      expect(text).not.toContain('ann.orlova');
      expect(text).not.toContain('&lt;b&gt;');
    }
    const { text } = await get(`${url}/status/posts/${failed}?workspace=city`);
    expect(text).toContain('Call [phone] &amp; ask (https://example.org/dog)');
  });

  it.each([
    '/status/posts/nothing?',
    '/status/posts/00000000-0000-4000-8000-000000000001?',
    '/status/deliveries?channel=nowhere&',
    '/status/deliveries?before=nothing&',
    '/status/deliveries?before=00000000-0000-4000-8000-000000000001&',
  ])('says that something is not there: %s', async (path) => {
    const { url } = await open();
    const { status, text } = await get(`${url}${path}workspace=city`);
    expect(status).toBe(404);
    expect(text).toContain('That is not there');
  });

  it.each(['nonsense', 'failed', 'sent&status=dead'])(
    'says which states there are in place of a list of everything: %s',
    async (state) => {
      const { url } = await open();
      const { status, text } = await get(`${url}/status/deliveries?workspace=city&status=${state}`);
      expect(status).toBe(404);
      expect(text).toContain('There is no such state');
      expect(text).toContain('failed_permanent, dead.');
      expect(text).toContain('href="/status/deliveries?workspace=city"');
    },
  );

  it('lists deliveries in every state when none is chosen', async () => {
    const { url } = await open();
    const { status, text } = await get(`${url}/status/deliveries?workspace=city&status=&channel=`);
    expect(status).toBe(200);
    expect(text).toContain('<h1>Deliveries</h1>');
  });

  it('may keep its own files for ever, because their addresses change with them', async () => {
    const { url } = await open({ isOpen: false });
    const off = await get(`${url}/status`);
    const [, address = ''] = /href="(\/status\/style\.css\?v=\w+)"/.exec(off.text) ?? [];
    const style = await get(`${url}${address}`);
    expect(style.headers.get('content-type')).toContain('text/css');
    expect(style.headers.get('cache-control')).toContain('immutable');
    expect(style.text).toContain('prefers-color-scheme');
  });
});

describe('the stream of changes', () => {
  async function follow(url: string, init: RequestInit = {}) {
    const left = new AbortController();
    undo.push(() => left.abort());
    const answer = await fetch(`${url}/status/live?workspace=city`, {
      signal: left.signal,
      ...init,
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (reader === undefined) throw new Error('there is no stream');
    let text = '';
    return {
      answer,
      left,
      /** Reads until the text has come, or the stream is over. */
      async until(words: string): Promise<string> {
        for (;;) {
          if (text.includes(words)) return text;
          const { value, done } = await reader.read();
          if (done) return text;
          text += value;
        }
      },
    };
  }

  it('begins with all that a browser does not have, and goes on with what changes', async () => {
    const { url, clock } = await open();
    const stream = await follow(url);
    expect(stream.answer.headers.get('content-type')).toContain('text/event-stream');
    await stream.until('"id":"channels"');
    await admin.query(
      "update outrider.channels set title = 'Late news' where workspace_id = 'city'",
    );
    clock.advance(3000);
    const text = await stream.until('Late news');
    const last = text.trimEnd().split('\n\n').at(-1) ?? '';
    expect(last).toContain('"id":"channel-news"');
    expect(last).not.toContain('"id":"channels"');
  });

  it('shows signs of life while nothing changes, and ends when the token has changed', async () => {
    const secrets: Record<string, string> = { STATUS_TOKEN: statusToken };
    const { url, clock } = await open({ ...withToken, secrets });
    const headers = { authorization: `Bearer ${statusToken}` };
    const stream = await follow(url, { headers });
    await stream.until('"id":"channels"');
    clock.advance(15_000);
    await stream.until(': alive');
    secrets['STATUS_TOKEN'] = 'another token of the page';
    clock.advance(15_000);
    expect(await stream.until('never')).not.toContain('never');
  });

  it('reads a workspace once for all who follow it, and not at all when they are gone', async () => {
    let readings = 0;
    const counted = {
      query: (given: never) => {
        if (JSON.stringify(given).includes('what_is_wrong')) readings += 1;
        return service.query(given);
      },
    };
    const { url, clock } = await open({ client: counted });
    const streams = await Promise.all(Array.from({ length: 5 }, () => follow(url)));
    await Promise.all(streams.map((each) => each.until('"id":"channels"')));
    expect(readings).toBe(1);
    const before = clock.waiting();
    for (const { left } of streams) left.abort();
    await expect.poll(() => clock.waiting()).toBe(0);
    expect(before).toBeGreaterThan(0);
    clock.advance(60_000);
    expect(readings).toBe(1);
  });

  it('has room for so many browsers, and no more', async () => {
    const { url } = await open({ mostViewers: 1 });
    const first = await follow(url);
    await first.until('"id":"channels"');
    expect((await get(`${url}/status/live?workspace=city`)).status).toBe(503);
    expect((await get(`${url}/status?workspace=city`)).status).toBe(200);
  });

  it('ends when the server is told to stop, which does not wait for it', async () => {
    // A port that nobody else gets when it is stopped.
    const server = await open({ port: await freePort() });
    const stream = await follow(server.url);
    await stream.until('"id":"channels"');
    await Promise.all([server.stop(), stream.until('never')]);
    await expect(fetch(`${server.url}/status`)).rejects.toThrow('fetch failed');
  });
});

describe('a process', () => {
  const given = (status: object, host = '127.0.0.1') => ({
    databaseUrl: database.url,
    http: { port: 0, host },
    dataDir: folder,
    status,
    secrets: { SHORT: 'short', STATUS_TOKEN: statusToken },
  });

  async function started(status: object, host?: string) {
    const outrider = await openOutrider(given(status, host), {
      log: silentLog,
      answersHealth: true,
    });
    undo.push(() => outrider.stop());
    await outrider.start(['monitor']);
    return outrider.url ?? '';
  }

  it('has the page beside its health, although it takes no posts in', async () => {
    const url = await started({ tokenRef: 'env:STATUS_TOKEN' });
    const headers = { authorization: `Bearer ${statusToken}` };
    expect((await get(`${url}/status`)).status).toBe(401);
    const { status, text } = await get(`${url}/status`, { headers });
    expect(status).toBe(200);
    expect(text).toContain('<b>monitor</b>');
  });

  it.each([
    ['a short token', { tokenRef: 'env:SHORT' }, '127.0.0.1', 'it needs 16 or more'],
    ['a token that is missing', { tokenRef: 'env:NOBODY' }, '127.0.0.1', 'NOBODY is not set'],
    ['an open page on all addresses', { isOpen: true }, '0.0.0.0', 'OUTRIDER_HOST lets others in'],
  ])('does not start with %s', async (_, status, host, words) => {
    await expect(started(status, host)).rejects.toThrow(words);
  });
});
