import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createGuardedFetch } from '../../src/http/guarded-fetch.ts';
import { startOrigin } from '../support/http/media-origins.ts';

const { signal } = new AbortController();
const privateHosts = ['127.0.0.1'];

describe('a guarded fetch', () => {
  it('lets its caller read the file and its headers', async () => {
    await using origin = await startOrigin((_request, response) =>
      response.setHeader('etag', '"1"').end('[1, 2]'),
    );
    const guarded = createGuardedFetch({ maxBytes: 6, privateHosts });
    const fetched = await guarded.fetch(origin.url, signal, async ({ headers, bytes }) => ({
      etag: headers.etag,
      read: await text(bytes),
    }));
    expect(fetched).toEqual({ ok: true, taken: { etag: '"1"', read: '[1, 2]' } });
    await guarded.close();
  });

  it('ends for a file of no announced length that is larger than it may be', async () => {
    await using origin = await startOrigin((_request, response) => {
      response.write('1234');
      response.end('567');
    });
    const guarded = createGuardedFetch({ maxBytes: 6, privateHosts });
    expect(await guarded.fetch(origin.url, signal, ({ bytes }) => text(bytes))).toMatchObject({
      ok: false,
      code: 'too_large',
      transient: false,
    });
    await guarded.close();
  });

  it('passes on what its caller throws, and lets go of the socket', async () => {
    await using origin = await startOrigin();
    const guarded = createGuardedFetch({ maxBytes: 1000, privateHosts });
    const failing = guarded.fetch(origin.url, signal, async () => {
      throw new Error('no room');
    });
    await expect(failing).rejects.toThrow('no room');
    await expect.poll(() => origin.openConnections()).toBe(0);
    await guarded.close();
  });

  it('asks nobody who is not on the public internet', async () => {
    await using origin = await startOrigin();
    const guarded = createGuardedFetch({ maxBytes: 1000 });
    expect(await guarded.fetch(origin.url, signal, ({ bytes }) => text(bytes))).toMatchObject({
      ok: false,
      code: 'address_refused',
    });
    expect(origin.reachedAt).toEqual([]);
    await guarded.close();
  });
});
