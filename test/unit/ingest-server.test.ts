import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import { Alive } from '../../src/http/health.ts';
import { answersToNames } from '../../src/http/host-names.ts';
import { Welcome } from '../../src/ingest/answers.ts';
import type { IngestOptions } from '../../src/ingest/ingest.ts';
import { Refused } from '../../src/ingest/refusal.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { type Ingest, openIngest, refusalIn, request } from '../support/http/ingest.ts';
import { sendRaw } from '../support/http/raw-socket.ts';

// Nothing listens at that port, and nothing here asks the database.
const pool = openPool({ url: 'postgresql://x@127.0.0.1:1/x', applicationName: 'outrider test' });
let ingest: Ingest;
const undo = useUndo();

beforeEach(async () => {
  ingest = await open();
});
async function open(options: Partial<IngestOptions> = {}): Promise<Ingest> {
  const opened = await openIngest(pool, options);
  undo.push(async () => opened[Symbol.asyncDispose]());
  return opened;
}

/** The answer on a raw connection: its status, and its body once it has come whole. */
function parsed(text: string): { status: number; head: string; code: string } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const { error } = Refused.parse(JSON.parse(body));
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), code: error.code };
}

/** When what has come is a whole answer; each of them ends so. */
const isWhole = (text: string): boolean => text.endsWith('}');
const head = 'POST /v1/ingest HTTP/1.1\r\nHost: x\r\nx-outrider-secret: s3cret\r\n';

describe('an address', () => {
  it('/ says where to read on', async () => {
    const { status, body } = await request(ingest.url);
    expect([status, Welcome.parse(body).openapi]).toEqual([200, '/openapi.json']);
  });

  it('/healthz says that the process is alive', async () => {
    const { status, body, headers } = await request(`${ingest.url}/healthz`);
    expect([status, Alive.parse(body)]).toEqual([200, { alive: true }]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('/openapi.json is the document', async () => {
    const { status, body } = await request(`${ingest.url}/openapi.json`);
    expect([status, body['openapi']]).toEqual([200, '3.1.0']);
  });

  it.each(['/v2/ingest', '/v1/ingest/', '/%ff', '/%zz', '//', '/v1'])(
    'that is none is answered as JSON: %s',
    async (path) => {
      const reply = await request(`${ingest.url}${path}`, { method: 'POST', body: '{}' });
      expect([404, 400]).toContain(reply.status);
      expect(['not_found', 'malformed_request']).toContain(refusalIn(reply).code);
    },
  );

  it.each([
    ['GET', '/v1/ingest', 'POST'],
    ['PUT', '/v1/media', 'POST'],
    ['POST', '/healthz', 'GET'],
    ['DELETE', '/', 'GET'],
  ])('is not answered to another method: %s %s', async (method, path, allow) => {
    const reply = await request(`${ingest.url}${path}`, { method });
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe(allow);
    expect(refusalIn(reply).code).toBe('method_not_allowed');
  });
});

describe('a connection', () => {
  it('serves one request after the other', async () => {
    const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = await sendRaw(ingest.url, get + get);
    await socket.until((text) => text.split('HTTP/1.1 200').length === 3);
    expect(socket.isClosed()).toBe(false);
    socket.destroy();
  });

  it('serves the next request after a refused one whose body nobody wanted', async () => {
    const refused = `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`;
    const socket = await sendRaw(ingest.url, `${refused}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
    const text = await socket.until((all) => all.includes('"alive"'));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
    socket.destroy();
  });

  it('ends when the sender goes on sending what nobody wants', async () => {
    const many = Buffer.alloc(8 * 2 ** 20, 'x');
    const refused = Buffer.from(
      'POST /v1/ingest HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n',
    );
    const endless = await sendRaw(ingest.url, Buffer.concat([refused, many]));
    await endless.closed();
    expect(endless.text()).toMatch(/^HTTP\/1\.1 401 /);
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      'malformed_request',
    ],
    ['a length that is none', `${head}Content-Length: -1\r\n\r\n`, 400, 'malformed_request'],
    [
      'too large a head',
      `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('that brings %s is told so and closed', async (_title, bytes, status, code) => {
    const socket = await sendRaw(ingest.url, bytes);
    const answer = parsed(await socket.until(isWhole));
    expect(answer).toMatchObject({ status, code });
    await socket.closed();
  });

  it('that never finishes its head is closed', async () => {
    const patient = await open({ patience: { headMs: 50, checkMs: 10 } });
    const socket = await sendRaw(patient.url, 'POST /v1/ingest HTTP/1.1\r\nHost: x\r\n');
    expect(parsed(await socket.until(isWhole))).toMatchObject({
      status: 408,
      code: 'request_timeout',
    });
    await socket.closed();
  });
});

describe('a host name', () => {
  const get = (host: string): string =>
    `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

  it('that a page has made up for this machine is not answered to', async () => {
    const socket = await sendRaw(ingest.url, get('rebound.example:8080'));
    expect(parsed(await socket.until(isWhole))).toMatchObject({
      status: 421,
      code: 'host_refused',
    });
    const post = await sendRaw(ingest.url, head.replace('Host: x', 'Host: rebound.example'));
    post.write('Content-Length: 2\r\n\r\n{}');
    expect(parsed(await post.until(isWhole))).toMatchObject({ status: 421, code: 'host_refused' });
  });

  const here = { listensAt: '127.0.0.1', host: '127.0.0.1', allowedHosts: ['News.example'] };
  const everywhere = { listensAt: '0.0.0.0', host: '0.0.0.0', allowedHosts: [] };

  it.each([
    ['localhost', here, true],
    ['LOCALHOST:8080', here, true],
    ['127.0.0.1:8080', here, true],
    ['[::1]:8080', here, true],
    ['192.0.2.7', here, true],
    ['news.example', here, true],
    ['news.example:443', here, true],
    [undefined, here, true],
    ['other.example', here, false],
    ['news.example.other.example', here, false],
    ['localhost.other.example', here, false],
    ['x@localhost', here, false],
    ['localhost/x', here, false],
    ['', here, false],
    ['other.example', { ...here, listensAt: '::1' }, false],
    ['other.example', { ...here, listensAt: '::ffff:127.0.0.1' }, false],
    ['here.example', { ...here, host: 'here.example' }, true],
    ['other.example', everywhere, true],
    ['other.example', { ...everywhere, allowedHosts: ['news.example'] }, false],
    ['news.example', { ...everywhere, allowedHosts: ['news.example'] }, true],
    ['10.0.0.7', { ...everywhere, allowedHosts: ['news.example'] }, true],
  ])('%s of a server at %j is answered to: %s', (host, server, expected) => {
    expect(answersToNames(server)(host)).toBe(expected);
  });

  it('is judged anew when it is another one than before', () => {
    const answersTo = answersToNames(here);
    const asked = ['localhost', 'localhost', 'other.example', 'other.example', 'localhost'];
    expect(asked.map(answersTo)).toEqual([true, true, false, false, true]);
  });
});

describe('connections', () => {
  it('beyond the limit are turned away, and the log says so once', async () => {
    const small = await open({ connections: 2 });
    const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const taken = [await sendRaw(small.url, get), await sendRaw(small.url, get)];
    for (const each of taken) await each.until((text) => text.includes('"alive"'));
    for (let n = 0; n < 2; n += 1) {
      const beyond = await sendRaw(small.url, get);
      await beyond.closed();
      expect(beyond.text()).toBe('');
    }
    const said = small.lines.filter((line) => line.includes('connections are turned away'));
    expect(said).toHaveLength(1);
    for (const each of taken) each.destroy();
    await expect
      .poll(async () => (await request(`${small.url}/healthz`).catch(() => undefined))?.status)
      .toBe(200);
  });
});

describe('the port', () => {
  it('that is taken is named, and the variable that changes it', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    undo.push(async () => other.close());
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await expect(open({ port: port ?? 0 })).rejects.toMatchObject({
      code: 'configuration',
      message: `port ${port} is taken`,
      hint: expect.stringContaining('OUTRIDER_PORT'),
    });
  });

  it('of a host that is not here is refused with the variable that names it', async () => {
    await expect(open({ host: '203.0.113.7' })).rejects.toMatchObject({
      code: 'configuration',
      message: '203.0.113.7 is not an address of this machine',
      hint: expect.stringContaining('OUTRIDER_HOST'),
    });
  });
});

describe('a server that stops', () => {
  it('answers what still comes on a kept connection with its close', async () => {
    const whole = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = await sendRaw(ingest.url, `${whole}GET /healthz HTTP/1.1\r\n`);
    await socket.until((text) => text.includes('"alive"'));
    const stopped = ingest.stop();
    socket.write('Host: x\r\n\r\n');
    const text = await socket.until((all) => all.split('HTTP/1.1').length === 3 && isWhole(all));
    expect(parsed(text.slice(text.lastIndexOf('HTTP/1.1')))).toMatchObject({
      status: 503,
      code: 'stopping',
      head: expect.stringContaining('connection: close'),
    });
    await stopped;
  });

  it('closes connections that do nothing', async () => {
    const socket = await sendRaw(ingest.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await socket.until(isWhole);
    expect(socket.isClosed()).toBe(false);
    await ingest.stop();
    await socket.closed();
  });
});

describe('a line in the log', () => {
  it('has method, route, status and duration, and neither the address nor a secret', async () => {
    await request(`${ingest.url}/v1/ingest?token=s3cret`, { method: 'GET' });
    await request(`${ingest.url}/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/x`);
    await expect.poll(() => ingest.lines).toHaveLength(2);
    expect(JSON.parse(ingest.lines[0] ?? '')).toMatchObject({
      level: 'info',
      message: 'request',
      method: 'GET',
      status: 405,
      code: 'method_not_allowed',
      duration_ms: expect.any(Number),
    });
    expect(ingest.lines.join('')).not.toMatch(/s3cret|AAHdq/);
  });

  it('of a probe is for those who look closely', async () => {
    await request(`${ingest.url}/healthz`);
    await expect.poll(() => ingest.lines).toHaveLength(1);
    expect(JSON.parse(ingest.lines[0] ?? '')).toMatchObject({ level: 'debug', route: '/healthz' });
  });
});
