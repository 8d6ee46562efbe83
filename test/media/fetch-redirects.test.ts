import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createMediaFetcher,
  type Fetched,
  type MediaFetcherOptions,
} from '../../src/media/media-fetcher.ts';
import { createAuthority } from '../support/http/certificates.ts';
import { keepOnLoopback, openStore, png, startOrigin } from '../support/http/media-origins.ts';

const kept = await openStore();
afterAll(() => kept[Symbol.asyncDispose]());
const tried = keepOnLoopback();

const authority = createAuthority('known to all');
const ordinary = getCACertificates('default');
setDefaultCACertificates([...ordinary, authority.pem]);
afterAll(() => setDefaultCACertificates(ordinary));

async function fetchFrom(
  url: string,
  options: Partial<MediaFetcherOptions> = {},
): Promise<Fetched> {
  const { store } = kept;
  const privateHosts = ['127.0.0.1'];
  const fetcher = createMediaFetcher({ store, maxBytes: 1000, privateHosts, ...options });
  try {
    return await fetcher.fetch(url, new AbortController().signal);
  } finally {
    await fetcher.close();
    expect(tried).toEqual([]);
  }
}

/** Redirects from /0 to /1 and so on, until the last has the file. */
function chainOf(length: number, status = 302) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const place = Number(request.url?.slice(1));
    if (place === length) response.end(png);
    else response.writeHead(status, { location: `/${place + 1}` }).end('elsewhere');
  };
}

function redirectTo(location: string) {
  return (_request: IncomingMessage, response: ServerResponse) =>
    response.writeHead(302, { location }).end();
}

async function startSecureOrigin(location: string) {
  const server = createServer(authority.issue(), (_request, response) => {
    response.writeHead(302, { location }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `https://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('is followed: %i', async (status) => {
    await using origin = await startOrigin(chainOf(1, status));
    expect(await fetchFrom(`${origin.url}/0`)).toMatchObject({ ok: true });
    expect(origin.asked).toEqual(['/0', '/1']);
  });

  it.each([300, 304, 305, 306])('is what it should be: %i is no redirect', async (status) => {
    await using origin = await startOrigin(chainOf(1, status));
    expect(await fetchFrom(`${origin.url}/0`)).toMatchObject({ code: 'unexpected_answer' });
    expect(origin.asked).toEqual(['/0']);
  });

  it('is followed five times, and no more', async () => {
    await using five = await startOrigin(chainOf(5));
    expect(await fetchFrom(`${five.url}/0`)).toMatchObject({ ok: true });
    await using six = await startOrigin(chainOf(6));
    expect(await fetchFrom(`${six.url}/0`)).toEqual({
      ok: false,
      code: 'redirect_refused',
      reason: 'there are more than 5 redirects',
      transient: false,
    });
    expect(six.asked).toHaveLength(6);
    await expect.poll(() => six.openConnections()).toBe(0);
  });

  it('in a circle ends', async () => {
    await using origin = await startOrigin(redirectTo('/'));
    expect(await fetchFrom(`${origin.url}/`)).toMatchObject({ code: 'redirect_refused' });
    expect(origin.asked).toHaveLength(6);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]:1024/',
    'http://0x7f.1:8080/',
    '//10.0.0.1/',
    'http://2130706433/',
    'http://localhost:8080/',
    'http://127.0.0.1:6379/',
  ])('to a private address is refused: %s', async (location) => {
    await using origin = await startOrigin(redirectTo(location));
    const options = { privateHosts: [`127.0.0.1:${origin.port}`] };
    expect(await fetchFrom(`${origin.url}/`, options)).toMatchObject({ code: 'address_refused' });
  });

  it('to a name that is private by now is refused', async () => {
    await using origin = await startOrigin(redirectTo('/again'));
    const addresses = ['127.0.0.1', '127.0.0.2'];
    const lookup = async () => [addresses.shift() ?? ''];
    const isPublic = (address: string) => address === '127.0.0.1';
    const url = `http://media.example:${origin.port}/`;
    expect(await fetchFrom(url, { lookup, isPublic })).toMatchObject({ code: 'address_refused' });
    expect(origin.asked).toEqual(['/']);
  });

  it.each([
    ['ftp://127.0.0.1/', 'only http and https addresses are fetched'],
    ['file:///etc/passwd', 'only http and https addresses are fetched'],
    ['data:image/png,a', 'only http and https addresses are fetched'],
    ['http://ann:s3cret@127.0.0.1/', 'an address with a user name or a password is not fetched'],
  ])('to what nobody may allow is refused: %s', async (location, words) => {
    await using origin = await startOrigin(redirectTo(location));
    const fetched = await fetchFrom(`${origin.url}/`);
    const reason = `127.0.0.1:${origin.port} redirects, and ${words}`;
    expect(fetched).toMatchObject({ ok: false, code: 'url_refused', reason });
    expect(JSON.stringify(fetched)).not.toContain('s3cret');
  });

  it.each([
    [{}, 'redirects without saying where to'],
    [{ location: 'http://[' }, 'redirects to what cannot be read as a URL'],
    [
      { location: 'http://256.256.256.256/?token=s3cret' },
      'redirects to what cannot be read as a URL',
    ],
  ])('that leads nowhere is refused: %j', async (headers, words) => {
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(302, headers).end();
    });
    expect(await fetchFrom(`${origin.url}/`)).toEqual({
      ok: false,
      code: 'redirect_refused',
      reason: `127.0.0.1:${origin.port} ${words}`,
      transient: false,
    });
  });

  it('from https to http is refused', async () => {
    await using origin = await startOrigin();
    await using secure = await startSecureOrigin(`${origin.url}/a?token=s3cret`);
    expect(await fetchFrom(secure.url)).toEqual({
      ok: false,
      code: 'redirect_refused',
      reason: `${new URL(secure.url).host} redirects from https to http`,
      transient: false,
    });
    expect(origin.reachedAt).toEqual([]);
  });

  it('from http to https is followed, and the certificate is looked at', async () => {
    await using secure = await startSecureOrigin('/');
    await using origin = await startOrigin(redirectTo(secure.url));
    expect(await fetchFrom(`${origin.url}/`)).toMatchObject({
      reason: expect.stringMatching('more than 5'),
    });
    setDefaultCACertificates(ordinary);
    expect(await fetchFrom(`${origin.url}/`)).toMatchObject({
      code: 'untrusted',
      transient: false,
    });
    setDefaultCACertificates([...ordinary, authority.pem]);
  });
});
