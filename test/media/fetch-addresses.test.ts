import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createMediaFetcher,
  type Fetched,
  type MediaFetcherOptions,
} from '../../src/media/media-fetcher.ts';
import { keepOnLoopback, openStore, startOrigin } from '../support/http/media-origins.ts';
import { specialHost } from '../support/http/special-addresses.ts';

const kept = await openStore();
afterAll(() => kept[Symbol.asyncDispose]());
const tried = keepOnLoopback();

async function fetchWith(options: Partial<MediaFetcherOptions>, url: string): Promise<Fetched> {
  const fetcher = createMediaFetcher({ store: kept.store, maxBytes: 1000, ...options });
  try {
    return await fetcher.fetch(url, new AbortController().signal);
  } finally {
    await fetcher.close();
    expect(tried).toEqual([]);
  }
}

/** Answers each question with the next list of addresses. */
function answers(...lists: string[][]) {
  const asked: string[] = [];
  const lookup = async (hostname: string): Promise<string[]> => {
    asked.push(hostname);
    return lists[asked.length - 1] ?? [];
  };
  return { asked, lookup };
}

const refused = { ok: false, code: 'address_refused', transient: false };
/** A loopback address that stands for a public one. */
const isPublic = (address: string) => address === '127.0.0.1';

describe('an address that is written out', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '127。0。0。1',
    '１２７.0.0.1',
    '%31%32%37.0.0.1',
    '0.0.0.0',
    '0',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ])('is not reached when it is this machine: %s', async (host) => {
    await using origin = await startOrigin();
    const { asked, lookup } = answers();
    const fetched = await fetchWith({ lookup }, `http://${host}:${origin.port}/a?token=s3cret`);
    expect(fetched).toMatchObject(refused);
    expect(fetched).toHaveProperty('reason', expect.stringMatching(/^\S+ is not on the public/));
    expect([...origin.reachedAt, ...asked]).toEqual([]);
  });

  it.each([
    '169.254.169.254',
    '[fd00:ec2::254]',
    '168.63.129.16',
    '100.100.100.200',
    '10.0.0.1',
    '192.168.1.1',
    '[fe80::1]',
    '[2001:0:7f00:1::]',
    '224.0.0.1',
    '255.255.255.255',
  ])('is not reached when it is not public: %s', async (host) => {
    expect(await fetchWith({}, `https://${host}/latest/meta-data/`)).toMatchObject(refused);
  });

  it('is refused in every range and every way of writing', async () => {
    const { asked, lookup } = answers();
    const fetcher = createMediaFetcher({ store: kept.store, maxBytes: 1000, lookup });
    const { signal } = new AbortController();
    await fc.assert(
      fc.asyncProperty(specialHost, fc.boolean(), async (host, isSecure) => {
        const url = `${isSecure ? 'https' : 'http'}://${host}/`;
        expect(await fetcher.fetch(url, signal)).toMatchObject(refused);
      }),
      { numRuns: 500 },
    );
    expect([...asked, ...tried]).toEqual([]);
    await fetcher.close();
  });

  it.each([
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://256.1.1.1/',
    'nothing',
    '',
  ])('cannot be read: %s', async (url) => {
    expect(await fetchWith({}, url)).toEqual({
      ok: false,
      code: 'invalid_url',
      reason: 'the address cannot be read as a URL',
      transient: false,
    });
  });
});

describe('a URL that must not be asked', () => {
  it.each([
    ['ftp://a.org/', 'url_refused'],
    ['file:///etc/passwd', 'url_refused'],
    ['http://ann:s3cret@a.org/', 'url_refused'],
    ['http://a.org:22/', 'address_refused'],
  ])('is refused before anything is looked up: %s', async (url, code) => {
    const { asked, lookup } = answers();
    const fetched = await fetchWith({ lookup }, url);
    expect(fetched).toMatchObject({ ...refused, code });
    expect(JSON.stringify(fetched)).not.toContain('s3cret');
    expect(asked).toEqual([]);
  });
});

describe('a name', () => {
  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fe80::1%lo'],
    ['127.0.0.2', '::1', '127.255.0.1'],
    ['not an address'],
  ])('is not reached when it stands for %s', async (...addresses) => {
    await using origin = await startOrigin();
    const { asked, lookup } = answers(addresses);
    expect(await fetchWith({ lookup }, `http://media.example:${origin.port}/`)).toEqual({
      ...refused,
      reason: 'media.example is not on the public internet',
    });
    expect(asked).toEqual(['media.example']);
    expect(origin.reachedAt).toEqual([]);
  });

  it.each(['localhost', 'LOCALHOST'])('is looked up where the system does it: %s', async (host) => {
    await using origin = await startOrigin();
    expect(await fetchWith({}, `http://${host}:${origin.port}/`)).toMatchObject(refused);
    expect(origin.reachedAt).toEqual([]);
  });

  it('is reached at those of its addresses that are public', async () => {
    await using origin = await startOrigin();
    const { lookup } = answers(['127.0.0.2', '127.0.0.1', '127.0.0.3']);
    const url = `http://media.example:${origin.port}/`;
    expect(await fetchWith({ lookup, isPublic }, url)).toMatchObject({ ok: true });
    expect(origin.reachedAt).toEqual(['127.0.0.1']);
  });

  it('is reached at the address that was checked, whatever it stands for next', async () => {
    await using origin = await startOrigin();
    const { asked, lookup } = answers(['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']);
    const url = `http://media.example:${origin.port}/`;
    expect(await fetchWith({ lookup, isPublic }, url)).toMatchObject({ ok: true });
    expect(asked).toEqual(['media.example']);
    expect(origin.reachedAt).toEqual(['127.0.0.1']);
  });

  it('is judged anew by the next fetch', async () => {
    await using origin = await startOrigin();
    const { lookup } = answers(['127.0.0.1'], ['127.0.0.2']);
    const fetcher = createMediaFetcher({ store: kept.store, maxBytes: 1000, lookup, isPublic });
    const { signal } = new AbortController();
    const url = `http://media.example:${origin.port}/`;
    expect(await fetcher.fetch(url, signal)).toMatchObject({ ok: true });
    expect(await fetcher.fetch(url, signal)).toMatchObject(refused);
    await fetcher.close();
  });

  it('that nobody knows may be known later', async () => {
    const lookup = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    expect(await fetchWith({ lookup }, 'https://media.example/a?token=s3cret')).toEqual({
      ok: false,
      code: 'unavailable',
      reason: 'media.example cannot be found: the host name is not known',
      transient: true,
    });
  });
});

describe('a private host', () => {
  it('is reached by its address and by its name', async () => {
    await using origin = await startOrigin();
    const { lookup } = answers(['127.0.0.1']);
    const byAddress = { privateHosts: [`127.0.0.1:${origin.port}`] };
    expect(await fetchWith(byAddress, `${origin.url}/`)).toMatchObject({ ok: true });
    const byName = { privateHosts: ['files.internal'], lookup };
    const url = `http://files.internal:${origin.port}/`;
    expect(await fetchWith(byName, url)).toMatchObject({ ok: true });
  });

  it('is that one only: its address under another name or port is refused', async () => {
    await using origin = await startOrigin();
    const { lookup } = answers(['127.0.0.1']);
    const other = { privateHosts: ['files.internal'], lookup };
    expect(await fetchWith(other, `${origin.url}/`)).toMatchObject(refused);
    const url = `http://media.example:${origin.port}/`;
    expect(await fetchWith(other, url)).toMatchObject(refused);
    const port = { privateHosts: ['127.0.0.1:1'] };
    expect(await fetchWith(port, `${origin.url}/`)).toMatchObject(refused);
    expect(origin.reachedAt).toEqual([]);
  });
});
