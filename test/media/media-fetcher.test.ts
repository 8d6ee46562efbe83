import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import {
  createMediaFetcher,
  type Fetched,
  type MediaFetcher,
  type MediaFetcherOptions,
} from '../../src/media/media-fetcher.ts';
import {
  keepOnLoopback,
  openStore,
  png,
  startOrigin,
  type TestStore,
} from '../support/http/media-origins.ts';
import {
  answer,
  answering,
  type RawConnection,
  refusingPort,
  startRawServer,
} from '../support/http/raw-server.ts';

keepOnLoopback();

let kept: TestStore;
let stop: AbortController;
let fetchers: MediaFetcher[];

beforeEach(async () => {
  kept = await openStore();
  stop = new AbortController();
  fetchers = [];
});
afterEach(async () => {
  await Promise.all(fetchers.map((each) => each.close()));
  await kept[Symbol.asyncDispose]();
});

function fetcherWith(options: Partial<MediaFetcherOptions> = {}): MediaFetcher {
  const privateHosts = ['127.0.0.1'];
  const fetcher = createMediaFetcher({
    store: kept.store,
    maxBytes: 1000,
    privateHosts,
    ...options,
  });
  fetchers.push(fetcher);
  return fetcher;
}

function fetchFrom(url: string, options: Partial<MediaFetcherOptions> = {}): Promise<Fetched> {
  return fetcherWith(options).fetch(`${url}/photo.png?token=s3cret`, stop.signal);
}

/** Nothing is kept, and the address's secret is not told. */
async function faultOf(fetching: Fetched | Promise<Fetched>): Promise<Fetched> {
  const fetched = await fetching;
  expect(JSON.stringify(fetched)).not.toContain('s3cret');
  expect(await kept.files()).toEqual([]);
  return fetched;
}

const head = (headers: string) => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`;
const asked = (received: string) => received.includes('\r\n\r\n');

describe('a file', () => {
  it('is copied into the store, under its hash and the type of its bytes', async () => {
    await using origin = await startOrigin((_request, response) => {
      response.setHeader('content-type', 'text/plain').end(png);
    });
    const fetched = await fetchFrom(origin.url);
    expect(fetched).toMatchObject({
      ok: true,
      blob: { sizeBytes: png.byteLength, contentType: 'image/png' },
    });
    const blob = fetched.ok ? fetched.blob : undefined;
    expect(await kept.files()).toEqual([blob?.sha256]);
    const bytes = await kept.store.open(blob?.originUrl ?? '');
    expect(await text(bytes ?? Readable.from([]))).toBe(png.toString());
    expect(origin.asked).toEqual(['/photo.png?token=s3cret']);
  });

  it('is asked for as it is, without cookies, referrer or packing', async () => {
    await using wire = await startRawServer(answering(answer(200, 'abc')));
    await fetchFrom(wire.url);
    const lines = wire.received[0]?.trim().split('\r\n').slice(1) ?? [];
    expect(lines.toSorted()).toEqual([
      'accept-encoding: identity',
      'accept: */*',
      'connection: close',
      `host: 127.0.0.1:${wire.port}`,
      'user-agent: outrider',
    ]);
  });

  it('has the name that the server gives it', async () => {
    await using origin = await startOrigin((_request, response) => {
      response.setHeader('content-disposition', 'attachment; filename="../ann.png"').end(png);
    });
    expect(await fetchFrom(origin.url)).toMatchObject({ filename: 'ann.png' });
  });

  it.each([
    ['shorter than what is looked at', ['GIF89a']],
    ['in single bytes', Array.from({ length: 100 }, () => 'a')],
    ['in pieces about the end of its head', ['GIF89a'.padEnd(31), 'b', 'c', 'd'.repeat(40)]],
    ['in one large piece', ['e'.repeat(1000)]],
  ])('comes whole: %s', async (_how, pieces) => {
    await using wire = await startRawServer(async (connection) => {
      const { socket } = connection;
      await connection.until(asked);
      socket.write(head('Transfer-Encoding: chunked'));
      for (const piece of pieces) socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      socket.write('0\r\n\r\n');
    });
    const fetched = await fetchFrom(wire.url);
    const bytes = await kept.store.open(fetched.ok ? fetched.blob.originUrl : '');
    expect(await text(bytes ?? Readable.from([]))).toBe(pieces.join(''));
  });

  it('that ends with the connection comes too', async () => {
    await using wire = await startRawServer(async (connection) => {
      const { socket } = connection;
      await connection.until(asked);
      socket.end(`${head('Connection: close')}abc`);
    });
    expect(await fetchFrom(wire.url)).toMatchObject({ ok: true, blob: { sizeBytes: 3 } });
  });

  it('of the wrong type is refused before anything is kept', async () => {
    await using origin = await startOrigin((_request, response) => {
      response.write('<!doctype html>'.padEnd(40)); // and no end
    });
    const types: string[] = [];
    const fits = (type: string) => types.push(type) === 0;
    const fetched = await fetcherWith().fetch(`${origin.url}/?token=s3cret`, stop.signal, fits);
    expect(await faultOf(fetched)).toMatchObject({
      code: 'wrong_type',
      reason: `127.0.0.1:${origin.port} sends text/html`,
      transient: false,
    });
    expect(types).toEqual(['text/html']);
    await expect.poll(() => origin.openConnections()).toBe(0);
  });

  it('of no known type is called so', async () => {
    await using wire = await startRawServer(answering(answer(200, 'abc')));
    const fetched = await fetcherWith().fetch(wire.url, stop.signal, () => false);
    expect(await faultOf(fetched)).toMatchObject({
      reason: `127.0.0.1:${wire.port} sends bytes of no known type`,
    });
  });

  it('without a byte is refused', async () => {
    await using length = await startRawServer(answering(answer(200, '')));
    await using chunks = await startRawServer(
      answering(`${head('Transfer-Encoding: chunked')}0\r\n\r\n`),
    );
    for (const { url } of [length, chunks]) {
      expect(await faultOf(fetchFrom(url))).toMatchObject({ code: 'empty', transient: false });
    }
  });
});

describe('an answer', () => {
  it.each([
    [404, 'not_found', false],
    [410, 'not_found', false],
    [401, 'forbidden', false],
    [403, 'forbidden', false],
    [408, 'unavailable', true],
    [429, 'unavailable', true],
    [500, 'unavailable', true],
    [503, 'unavailable', true],
    [201, 'unexpected_answer', false],
    [204, 'unexpected_answer', false],
    [206, 'unexpected_answer', false],
    [400, 'unexpected_answer', false],
    [451, 'unexpected_answer', false],
  ])('of %i is %s', async (status, code, transient) => {
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(status).end(status === 204 ? undefined : png);
    });
    const fetched = await fetchFrom(origin.url);
    expect(await faultOf(fetched)).toMatchObject({ code, transient });
    const words = new RegExp(`^127\\.0\\.0\\.1:${origin.port} answered ${status}`);
    expect(fetched).toHaveProperty('reason', expect.stringMatching(words));
    await expect.poll(() => origin.openConnections()).toBe(0);
  });

  it('that is not HTTP is refused', async () => {
    await using wire = await startRawServer(answering('220 mail.example ESMTP\r\n'));
    expect(await faultOf(fetchFrom(wire.url))).toMatchObject({
      code: 'unexpected_answer',
      transient: false,
    });
  });

  it.each(['Content-Encoding: gzip', 'Content-Encoding: br', 'Transfer-Encoding: gzip, chunked'])(
    'that is packed is refused, whatever is in it: %s',
    async (header) => {
      const bomb = gzipSync(Buffer.alloc(10_000_000));
      await using wire = await startRawServer(async (connection) => {
        const { socket } = connection;
        await connection.until(asked);
        socket.write(head(header));
        socket.write(bomb);
      });
      const fetched = await fetchFrom(wire.url, { maxBytes: 1_000_000 });
      expect(await faultOf(fetched)).toMatchObject({
        code: 'unexpected_answer',
        reason: `127.0.0.1:${wire.port} sends the file packed, though asked not to`,
        transient: false,
      });
    },
  );

  it('that says it is not packed is taken', async () => {
    await using wire = await startRawServer(
      answering(answer(200, 'abc', { 'Content-Encoding': 'Identity' })),
    );
    expect(await fetchFrom(wire.url)).toMatchObject({ ok: true });
  });
});

describe('the largest size', () => {
  const tooLarge = { code: 'too_large', transient: false };

  it('is still taken', async () => {
    await using origin = await startOrigin((_request, response) => response.end('a'.repeat(1000)));
    expect(await fetchFrom(origin.url)).toMatchObject({ ok: true, blob: { sizeBytes: 1000 } });
  });

  it('is passed by what is announced: no byte is waited for', async () => {
    await using wire = await startRawServer(answering(head('Content-Length: 1001')));
    const reason = `127.0.0.1:${wire.port} sends more than 1000 bytes`;
    expect(await faultOf(fetchFrom(wire.url))).toMatchObject({ ...tooLarge, reason });
  });

  it.each([head('Connection: close'), `${head('Transfer-Encoding: chunked')}ffffff\r\n`])(
    'is passed by an endless stream, which is cut: %j',
    async (beginning) => {
      let sent = 0;
      const flood = ({ socket }: RawConnection) => {
        const more = () => {
          while (socket.writable && socket.write('a'.repeat(65_536))) sent += 65_536;
        };
        socket.write(beginning);
        socket.on('drain', more);
        more();
      };
      await using wire = await startRawServer(flood);
      expect(await faultOf(fetchFrom(wire.url))).toMatchObject(tooLarge);
      expect(sent).toBeLessThan(16 * 1024 * 1024);
    },
  );
});

describe('time', () => {
  const timeout = { code: 'timeout', transient: true };

  it('is over for a file that drips', async () => {
    await using origin = await startOrigin((_request, response) => {
      const drip = setInterval(() => response.write('a'), 5);
      response.once('close', () => clearInterval(drip));
    });
    const fetched = await fetchFrom(origin.url, { timeoutMs: 100 });
    expect(await faultOf(fetched)).toMatchObject({
      ...timeout,
      reason: 'the file did not come within 100 ms',
    });
    await expect.poll(() => origin.openConnections()).toBe(0);
  });

  it('is over for a server that says nothing', async () => {
    await using wire = await startRawServer(() => undefined);
    const reason = `127.0.0.1:${wire.port} did not answer in time`;
    expect(await faultOf(fetchFrom(wire.url, { silenceMs: 50 }))).toMatchObject({
      ...timeout,
      reason,
    });
  });

  it('is over for a file that stops in the middle', async () => {
    await using wire = await startRawServer(answering(`${head('Content-Length: 100')}half`));
    const reason = `127.0.0.1:${wire.port} stopped in the middle of its answer`;
    // Enough for the head, for which it waits as long.
    expect(await faultOf(fetchFrom(wire.url, { silenceMs: 2000 }))).toMatchObject({
      ...timeout,
      reason,
    });
  });

  it('is over for a secure connection that does not come about', async () => {
    await using wire = await startRawServer(() => undefined);
    const fetched = await fetchFrom(`https://127.0.0.1:${wire.port}`, { connectTimeoutMs: 50 });
    const reason = `127.0.0.1:${wire.port} could not be reached in time`;
    expect(await faultOf(fetched)).toMatchObject({ ...timeout, reason });
  });

  it('is counted over all redirects', async () => {
    await using origin = await startOrigin((request, response) => {
      if (request.url === '/next') return; // never
      response.writeHead(302, { location: '/next' }).end();
    });
    // Enough to get to the second request.
    expect(await faultOf(fetchFrom(origin.url, { timeoutMs: 3000 }))).toMatchObject(timeout);
    expect(origin.asked).toHaveLength(2);
  });
});

describe('a connection', () => {
  it('that is refused may be taken later', async () => {
    await using refusing = await refusingPort();
    expect(await faultOf(fetchFrom(`http://127.0.0.1:${refusing.port}`))).toMatchObject({
      code: 'unavailable',
      reason: `127.0.0.1:${refusing.port} refused the connection`,
      transient: true,
    });
  });

  it.each([
    ['with a length', `${head('Content-Length: 1000')}${'a'.repeat(500)}`],
    ['in chunks', `${head('Transfer-Encoding: chunked')}1f4\r\n${'a'.repeat(500)}\r\n`],
    ['in the head', 'HTTP/1.1 200 OK\r\nContent-'],
  ])('that breaks leaves nothing: %s', async (_where, bytes) => {
    for (const breakOff of ['end', 'resetAndDestroy'] as const) {
      await using wire = await startRawServer(async (connection) => {
        const { socket } = connection;
        await connection.until(asked);
        socket.write(bytes, () => socket[breakOff]());
      });
      const fetched = await fetchFrom(wire.url);
      expect(await faultOf(fetched)).toMatchObject({ transient: true, code: 'unavailable' });
    }
  });

  it('is closed after a file', async () => {
    await using origin = await startOrigin();
    const fetcher = fetcherWith();
    await fetcher.fetch(origin.url, stop.signal);
    await expect.poll(() => origin.openConnections()).toBe(0);
  });

  it.each([
    [404, {}],
    [302, {}],
    [200, { 'content-encoding': 'gzip' }],
    [200, { 'content-length': '100000' }],
  ])('is closed when the rest is not wanted: %i %j', async (status, headers) => {
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(status, headers).write('a'.repeat(50_000)); // and no end
    });
    expect(await faultOf(fetchFrom(origin.url))).toMatchObject({ ok: false });
    await expect.poll(() => origin.openConnections()).toBe(0);
  });

  it('is closed when the store fails, and the failure is not hidden', async () => {
    await using origin = await startOrigin();
    const full = new Error('no space left on device');
    const store = { ...kept.store, put: () => Promise.reject(full) };
    await expect(fetchFrom(origin.url, { store })).rejects.toBe(full);
    await expect.poll(() => origin.openConnections()).toBe(0);
  });
});

describe('a fetch that is stopped', () => {
  const aborted = { code: 'aborted', reason: 'the fetch was stopped', transient: true };

  it('before it begins asks nobody', async () => {
    await using origin = await startOrigin();
    stop.abort();
    expect(await faultOf(fetchFrom(origin.url))).toMatchObject(aborted);
    expect(origin.reachedAt).toEqual([]);
  });

  it.each([
    ['while it waits for an answer', ''],
    ['within the file', `${head('Content-Length: 1000')}${'a'.repeat(500)}`],
  ])('leaves nothing: %s', async (_when, bytes) => {
    const closed = Promise.withResolvers<void>();
    await using wire = await startRawServer(async (connection) => {
      const { socket } = connection;
      socket.once('close', () => closed.resolve());
      await connection.until(asked);
      socket.write(bytes, () => stop.abort(new Error('s3cret')));
    });
    expect(await faultOf(fetchFrom(wire.url))).toMatchObject(aborted);
    await closed.promise;
  });

  it('while it connects lets go of the socket', async () => {
    const closed = Promise.withResolvers<void>();
    await using wire = await startRawServer(({ socket }) => {
      socket.once('close', () => closed.resolve());
      stop.abort();
    });
    expect(await faultOf(fetchFrom(`https://127.0.0.1:${wire.port}`))).toMatchObject(aborted);
    await closed.promise;
  });

  it('while it waits for addresses does not wait for them', async () => {
    const lookup = () => {
      stop.abort();
      return new Promise<string[]>(() => undefined);
    };
    expect(await faultOf(fetchFrom('http://media.example', { lookup }))).toMatchObject(aborted);
  });

  it('by the end of the fetcher takes no new one either', async () => {
    await using origin = await startOrigin(() => void fetcher.close());
    const fetcher = fetcherWith();
    expect(await faultOf(fetcher.fetch(origin.url, stop.signal))).toMatchObject(aborted);
    expect(await faultOf(fetcher.fetch(origin.url, stop.signal))).toMatchObject(aborted);
    expect(origin.asked).toHaveLength(1);
    await expect.poll(() => origin.openConnections()).toBe(0);
  });
});

describe('the log', () => {
  it('tells of addresses that were refused, by their hosts', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'debug', pretty: false, write: (line) => lines.push(line) });
    await fetchFrom('http://10.0.0.1', { log });
    await fetchFrom('http://ann:s3cret@10.0.0.1', { log });
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { level: 'warn', code: 'address_refused', reason: '10.0.0.1 is not on the public internet' },
      { level: 'warn', code: 'url_refused' },
    ]);
    expect(lines.join('')).not.toContain('s3cret');
  });
});
