import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { rss } from '../../src/pull/kinds/rss.ts';
import { readFeedApart } from '../../src/pull/reading-thread.ts';
import type { Look } from '../../src/pull/source.ts';
import { SourceError } from '../../src/pull/source-error.ts';
import { startOrigin } from '../support/http/media-origins.ts';
import { answer, startRawServer } from '../support/http/raw-server.ts';
import { firstLook, means } from '../support/pull/source-means.ts';

const MiB = 1024 * 1024;

function feed(items: string, head = ''): string {
  return `${head}<rss version="2.0"><channel><title>Feed</title>${items}</channel></rss>`;
}

const item = (title: string) => `<item><guid>${title}</guid><title>${title}</title></item>`;

interface Given {
  readonly keys?: Record<string, unknown>;
  readonly privateHosts?: string[];
  readonly look?: Partial<Look>;
}

/** What one look at an address brings: titles, or the error. */
async function lookAt(url: string, given: Given = {}) {
  const config = rss.keys.parse({ url, ...given.keys });
  const source = rss.open(config, means({ SECRET: 'tell-nobody' }, given.privateHosts));
  try {
    const chunk = await source.look(firstLook(given.look));
    return { ...chunk, titles: chunk.items.map(({ post }) => post.title) };
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  } finally {
    await source.close();
  }
}

function wordsOf(outcome: unknown): string {
  return outcome instanceof SourceError ? outcome.message : 'it was read';
}

async function lookAtBody(
  body: string | Buffer,
  headers: Record<string, string> = {},
  given?: Given,
) {
  await using origin = await startOrigin((_request, response) =>
    response.writeHead(200, headers).end(body),
  );
  return await lookAt(origin.url, given);
}

describe('a feed that cannot be read is told in words', () => {
  it.each([
    ['that ends in the middle of an item', feed(item('One')).slice(0, -30), 'breaks off: <'],
    [
      'that ends in the middle of a tag',
      feed(item('One')).slice(0, -4),
      'breaks off: a tag does not end',
    ],
    ['whose items are not closed', feed('<item><title>One</title>'), '</channel> closes nothing'],
    [
      'that is a page',
      '<!doctype html><html><body>Log in</body></html>',
      'something that is no feed',
    ],
    ['that is empty', '  ', 'answers with nothing'],
    ['that has no channel', '<rss version="2.0"/>', 'something that is no feed'],
    ['that is a channel alone', '<channel/>', 'something that is no feed'],
    ['that is RDF about something else', '<rdf:RDF/>', 'something that is no feed'],
    ['that is called a feed', '<feed><product>Ball</product></feed>', 'something that is no feed'],
    ['whose items stand in no channel', `<rss>${item('One')}</rss>`, 'cannot be read as RSS'],
    [
      'that is JSON and breaks off',
      '{"version": "https://jsonfeed.org/version/1", "items": [',
      'JSON that breaks off',
    ],
    ['that is some other JSON', '{"a": 1}', 'cannot be read as RSS, Atom, RDF or JSON Feed'],
    [
      'in a charset of its own',
      feed(item('One'), '<?xml version="1.0" encoding="x-mine"?>'),
      'charset "x-mine", which is not known',
    ],
    ['of items within items', `<rss>${'<item>'.repeat(100)}`, 'items stand within items'],
  ])('%s', async (_title, body, words) => {
    const error = await lookAtBody(body);
    expect(error).toBeInstanceOf(SourceError);
    expect(wordsOf(error)).toContain(words);
    expect(wordsOf(error)).toContain('127.0.0.1');
  });

  it('in another charset than it says', async () => {
    const bytes = Buffer.from(
      feed(item('\xcf\xf0\xee\xef\xe0\xeb\xe0 \xf1\xee\xe1\xe0\xea\xe0')),
      'latin1',
    );
    expect(wordsOf(await lookAtBody(bytes))).toContain('names no charset and is not in UTF-8');
    const header = { 'content-type': 'text/xml; charset=utf-8' };
    expect(wordsOf(await lookAtBody(bytes, header))).toContain(
      'not in the charset that it names (utf-8)',
    );
  });

  it('whose server announces more than it sends', async () => {
    const body = feed(item('One'));
    await using server = await startRawServer(async (connection) => {
      await connection.until((text) => text.includes('\r\n\r\n'));
      connection.socket.end(answer(200, body, { 'Content-Length': `${body.length + 10}` }));
    });
    const error = await lookAt(server.url);
    expect(error).toBeInstanceOf(SourceError);
    expect(wordsOf(error)).toMatch(/broke off|another length/);
  });
});

describe('the text of a feed', () => {
  const russian = 'Пропала собака';
  const bytes1251 = Buffer.from(
    feed(
      item('\xcf\xf0\xee\xef\xe0\xeb\xe0 \xf1\xee\xe1\xe0\xea\xe0'),
      '<?xml version="1.0" encoding="windows-1251"?>',
    ),
    'latin1',
  );
  const bytesKoi8 = Buffer.from(
    feed(item('\xf0\xd2\xcf\xd0\xc1\xcc\xc1 \xd3\xcf\xc2\xc1\xcb\xc1')),
    'latin1',
  );

  it.each<[string, Buffer, Record<string, string>]>([
    ['its declaration', bytes1251, {}],
    [
      'the header, which comes before the declaration',
      bytesKoi8,
      { 'content-type': 'application/xml; charset=koi8-r' },
    ],
    [
      'a mark of UTF-8, whatever the header says',
      Buffer.from(`\uFEFF${feed(item(russian))}`),
      { 'content-type': 'text/xml; charset=iso-8859-1' },
    ],
    ['a mark of UTF-16', Buffer.from(`\uFEFF${feed(item(russian))}`, 'utf16le'), {}],
    ['nothing, and then it is UTF-8', Buffer.from(feed(item(russian))), {}],
    [
      'its declaration, where the header names UTF-8 and the bytes are none',
      bytes1251,
      { 'content-type': 'text/xml; charset=utf-8' },
    ],
    [
      'its bytes, where the header names another charset and they are sound UTF-8',
      Buffer.from(feed(item(russian), '<?xml version="1.0" encoding="utf-8"?>')),
      { 'content-type': 'text/xml; charset=windows-1251' },
    ],
    [
      'its bytes, where they are sound UTF-8 and its declaration is an older one',
      Buffer.from(feed(item(russian), '<?xml version="1.0" encoding="windows-1251"?>')),
      {},
    ],
    [
      'its bytes, where its declaration names UTF-16 and has one byte for each letter',
      Buffer.from(feed(item(russian), '<?xml version="1.0" encoding="utf-16"?>')),
      {},
    ],
    [
      'its bytes, where they are UTF-16 without a mark',
      Buffer.from(feed(item(russian)), 'utf16le').swap16(),
      { 'content-type': 'text/xml; charset=utf-16' },
    ],
  ])('is decoded by %s', async (_title, bytes, headers) => {
    expect(await lookAtBody(bytes, headers)).toMatchObject({ titles: [russian] });
  });

  it('of ASCII is read, though its declaration names UTF-16', async () => {
    const bytes = Buffer.from(feed(item('Dog'), '<?xml version="1.0" encoding="utf-16"?>'));
    expect(await lookAtBody(bytes)).toMatchObject({ titles: ['Dog'] });
  });

  it('is kept where texts are cut within a letter, and their posts say how many are broken', async () => {
    const cut = (title: string) =>
      Buffer.concat([
        Buffer.from(`<item><title>${title}</title><description>`),
        Buffer.from('Пропала собака, рыжая').subarray(0, -1), // as a program cuts that counts bytes
        Buffer.from('</description></item>'),
      ]);
    const [start = '', end = ''] = feed('|').split('|');
    const items = [cut('Раз'), cut('Два'), cut('Три'), cut('Четыре'), Buffer.from(item('Пять'))];
    const found = await lookAtBody(Buffer.concat([Buffer.from(start), ...items, Buffer.from(end)]));
    expect(found).toMatchObject({ titles: ['Пять', 'Четыре', 'Три', 'Два', 'Раз'] });
    const [whole, broken] = 'items' in found ? found.items : [];
    expect(broken?.post.text).toBe('Пропала собака, рыжа\uFFFD');
    expect(broken?.post.fields).toMatchObject({ broken_characters: 1 });
    expect(whole?.post.fields).not.toHaveProperty('broken_characters');
  });

  it.each<[string, Buffer]>([
    ['gzip', gzipSync(feed(item('One')))],
    ['br', brotliCompressSync(feed(item('One')))],
  ])('is unpacked: %s', async (packing, bytes) => {
    expect(await lookAtBody(bytes, { 'content-encoding': packing })).toMatchObject({
      titles: ['One'],
    });
    const broken = await lookAtBody(bytes.subarray(0, -5), { 'content-encoding': packing });
    expect(wordsOf(broken)).toContain('a packed file that is broken');
  });
});

describe('entities', () => {
  it('that grow without end are not expanded', async () => {
    const declared = Array.from(
      { length: 20 },
      (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};&e${n};&e${n};">`,
    );
    const head = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "ha">${declared.join('')}]>`;
    expect(await lookAtBody(feed(item('&e20; One'), head))).toMatchObject({
      titles: ['&e20; One'],
    });
  });

  it('that name files or servers are not read', async () => {
    await using elsewhere = await startOrigin();
    const head = `<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b SYSTEM "${elsewhere.url}">]>`;
    expect(await lookAtBody(feed(item('&a;&b; One'), head))).toMatchObject({
      titles: ['&a;&b; One'],
    });
    expect(elsewhere.asked).toEqual([]);
  });
});

describe('a server that has nothing new', () => {
  it('is asked by ETag and date, and its 304 brings nothing and keeps the cursor', async () => {
    const conditions: unknown[] = [];
    await using origin = await startOrigin((request, response) => {
      const { 'if-none-match': etag, 'if-modified-since': since } = request.headers;
      conditions.push([etag, since]);
      if (etag === '"v1"') return response.writeHead(304).end();
      const headers = { etag: '"v1"', 'last-modified': 'Mon, 02 Mar 2026 10:00:00 GMT' };
      return response.writeHead(200, headers).end(feed(item('One') + item('Two')));
    });
    const first = await lookAt(origin.url, { look: { limit: 1 } });
    if (first instanceof SourceError) throw first;
    const second = await lookAt(origin.url, { look: { limit: 1, cursor: first.cursor } });
    if (second instanceof SourceError) throw second;
    expect([first.titles, second.titles]).toEqual([['Two'], ['One']]);
    expect(await lookAt(origin.url, { look: { cursor: second.cursor } })).toMatchObject({
      items: [],
      hasMore: false,
      cursor: second.cursor,
    });
    // Between the two chunks the same version has to come once more.
    const none = [undefined, undefined];
    expect(conditions).toEqual([none, none, ['"v1"', 'Mon, 02 Mar 2026 10:00:00 GMT']]);
  });
});

describe('a server that does not give the feed', () => {
  it.each<[number, Record<string, string>, string, number | undefined]>([
    [429, { 'retry-after': '120' }, 'answered 429', 120_000],
    [503, {}, 'answered 503', undefined],
    [404, {}, 'nothing is there', undefined],
    [403, {}, 'does not give the file to everyone', undefined],
    [304, {}, 'answered 304 instead of 200', undefined],
  ])('is told by its status: %i', async (status, headers, words, retryAfterMs) => {
    await using origin = await startOrigin((_request, response) =>
      response.writeHead(status, headers).end(),
    );
    const error = await lookAt(origin.url);
    expect(error).toMatchObject({ retryAfterMs });
    expect(wordsOf(error)).toContain(words);
  });
});

describe('an address', () => {
  it('that is private is refused with the setting that would allow it', async () => {
    await using origin = await startOrigin((_request, response) => response.end(feed(item('One'))));
    const error = await lookAt(origin.url, { privateHosts: [] });
    expect(error).toMatchObject({
      message: '127.0.0.1 is not on the public internet',
      hint: expect.stringContaining('PRIVATE_HOSTS'),
    });
    expect(origin.asked).toEqual([]);
  });

  it('that a redirect names is judged anew', async () => {
    await using inside = await startOrigin((_request, response) => response.end(feed(item('One'))));
    await using origin = await startOrigin((_request, response) =>
      response.writeHead(302, { location: inside.url }).end(),
    );
    const error = await lookAt(origin.url, { privateHosts: [`127.0.0.1:${origin.port}`] });
    expect(wordsOf(error)).toContain('not on the public internet');
    expect(inside.asked).toEqual([]);
  });

  it('of another origin gets no secret', async () => {
    const seen: unknown[] = [];
    const note = ({ url, headers }: IncomingMessage) =>
      seen.push([url, headers.authorization, headers['x-key']]);
    await using other = await startOrigin((request, response) => {
      note(request);
      response.end(feed(item('One')));
    });
    await using origin = await startOrigin((request, response) => {
      note(request);
      response.writeHead(302, { location: `${other.url}/moved` }).end();
    });
    const ref = 'env:SECRET';
    const ways = [{ bearer_ref: ref }, { header: 'X-Key', ref }, { query: 'key', ref }];
    for (const auth of ways) {
      expect(await lookAt(origin.url, { keys: { auth } })).toMatchObject({ titles: ['One'] });
    }
    const moved = ['/moved', undefined, undefined];
    expect(seen).toEqual([
      ['/', 'Bearer tell-nobody', undefined],
      moved,
      ['/', undefined, 'tell-nobody'],
      moved,
      ['/?key=tell-nobody', undefined, undefined],
      moved,
    ]);
  });
});

describe('a secret in the query', () => {
  const auth = { query: 'key', ref: 'env:SECRET' };
  const linked =
    '<item><guid>1</guid><title>One</title><link>#one</link>' +
    '<description>&lt;a href="#more"&gt;more&lt;/a&gt;</description></item>';

  it('that a redirect repeats is in no post, and reaches no other origin', async () => {
    await using other = await startOrigin((_request, response) => response.end(feed(linked)));
    await using origin = await startOrigin(({ url = '' }, response) => {
      const { pathname, search } = new URL(url, 'http://origin');
      // With a slash at the end, and the query kept, as web servers do it.
      if (pathname === '/feed') response.writeHead(301, { location: `/feed/${search}` }).end();
      else if (pathname === '/away') {
        response.writeHead(301, { location: `${other.url}/${search}&old=tell-nobody&a=1` }).end();
      } else response.end(feed(linked));
    });
    for (const [path, base] of [
      ['/feed', `${origin.url}/feed/`],
      ['/away', `${other.url}/?a=1`],
    ]) {
      const config = rss.keys.parse({ url: `${origin.url}${path}`, auth });
      const source = rss.open(config, means({ SECRET: 'tell-nobody' }));
      const { items } = await source.look(firstLook());
      await source.close();
      expect(items).toMatchObject([{ post: { url: `${base}#one` } }]);
      expect(JSON.stringify(items)).not.toContain('tell-nobody');
    }
    expect(origin.asked).toEqual([
      '/feed?key=tell-nobody',
      '/feed/?key=tell-nobody',
      '/away?key=tell-nobody',
    ]);
    expect(other.asked).toEqual(['/?a=1']);
  });
});

describe('a body without end', () => {
  /** Writes for as long as the other side reads. */
  function pour(response: ServerResponse): void {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const fill = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', fill).on('error', () => undefined);
    fill();
  }

  // Beyond what was read, the sockets of both sides hold some megabytes.
  it.each<[string, Record<string, string>, number]>([
    ['of 50 MB that are announced', { 'content-length': `${50 * MiB}` }, 10 * MiB],
    ['that nobody announced', {}, 30 * MiB],
  ])('%s ends the look, and little of it is taken', async (_title, headers, most) => {
    let written = 0;
    await using origin = await startOrigin(({ socket }, response) => {
      socket.once('close', () => {
        written = socket.bytesWritten;
      });
      pour(response.writeHead(200, headers));
    });
    const error = await lookAt(origin.url);
    expect(wordsOf(error)).toContain(`sends more than ${10 * MiB} bytes`);
    expect(error).toMatchObject({ hint: expect.stringContaining('max_bytes') });
    await expect.poll(() => origin.openConnections()).toBe(0);
    expect(written).toBeLessThan(most);
  });

  it('that is packed small is not unpacked whole', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * MiB, 'x'));
    expect(bomb.length).toBeLessThan(MiB / 10);
    const error = await lookAtBody(bomb, { 'content-encoding': 'gzip' });
    expect(wordsOf(error)).toContain(`sends more than ${10 * MiB} bytes`);
  });

  it('that comes byte by byte ends the look in time, while others are read', async () => {
    await using slow = await startOrigin((_request, response) => {
      const dripping = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(dripping));
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const dripped = lookAt(slow.url, { keys: { timeout_seconds: 2 } });
      await expect.poll(() => slow.asked).toHaveLength(1);
      expect(await lookAtBody(feed(item('One')))).toMatchObject({ titles: ['One'] });
      await vi.advanceTimersByTimeAsync(1999);
      expect(slow.openConnections()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      const error = await dripped;
      expect(wordsOf(error)).toContain('did not come within 2000 ms');
    } finally {
      vi.useRealTimers();
    }
  });
});

it('a server that is silent for long is waited for as long as timeout_seconds says', async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  await using slow = await startOrigin((_request, response) => asked.resolve(response));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const looked = lookAt(slow.url, { keys: { timeout_seconds: 60 } });
    const response = await asked.promise;
    await vi.advanceTimersByTimeAsync(45_000);
    response.end(feed(item('One')));
    expect(await looked).toMatchObject({ titles: ['One'] });
  } finally {
    vi.useRealTimers();
  }
});

describe('markup that keeps a parser busy', () => {
  it('is read while this thread goes on', async () => {
    const deep = `<item><guid>x</guid>${'<a><b>'.repeat(100_000)}${'</b></a>'.repeat(100_000)}</item>`;
    let ticks = 0;
    let ticking: NodeJS.Timeout | undefined;
    await using origin = await startOrigin((_request, response) => {
      response.end(feed(deep + item('One')), () => {
        ticking = setInterval(() => {
          ticks += 1;
        }, 5);
      });
    });
    const outcome = await lookAt(origin.url);
    clearInterval(ticking);
    expect(wordsOf(outcome)).toContain('cannot be read');
    expect(ticks).toBeGreaterThan(10);
  });

  it('in large feeds does not keep small ones from being read', async () => {
    const slow = '&lt;a&gt;&lt;p&gt;'.repeat(200_000);
    const feeds = [slow, slow, 'quick'].map((text) =>
      Buffer.from(feed(`<item><guid>1</guid><description>${text}</description></item>`)),
    );
    const stop = new AbortController();
    const ended: number[] = [];
    const [quick, ...others] = feeds
      .map(async (bytes) => {
        const asked = {
          bytes: new Uint8Array(bytes),
          contentType: undefined,
          url: 'https://example.org/feed',
          text: 'content',
          media: 'photos',
          imagesFromText: 1,
          tagsFromCategories: false,
        } as const;
        await readFeedApart(asked, 'example.org', { signal: stop.signal }).catch(() => undefined);
        ended.push(bytes.length);
      })
      .toReversed();
    await quick;
    stop.abort();
    await Promise.all(others);
    expect(ended).toEqual(feeds.map(({ length }) => length).toReversed());
  });
});
