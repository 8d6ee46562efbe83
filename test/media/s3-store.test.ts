import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { OriginStore } from '../../src/media/origin-store.ts';
import type { BucketOptions } from '../../src/media/s3-bucket.ts';
import { s3Store } from '../../src/media/s3-store.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { bucketName, secretKey, startS3 } from '../support/http/s3-server.ts';
import { chunks, contents, describeStore } from './store-conformance.ts';

const folder = await useFolder();
const drafts = path.join(folder, 'drafts');
const server = await startS3(path.join(folder, 'objects'));
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;

function open(options: Partial<BucketOptions> = {}): { store: OriginStore; prefix: string } {
  count += 1;
  const prefix = `case-${count}/`;
  return { store: s3Store({ bucket: server.bucket(options), prefix, drafts }), prefix };
}

const keysIn = async (prefix: string): Promise<string[]> =>
  (await server.keys()).filter((key) => key.startsWith(prefix));

describeStore({
  title: 'a bucket',
  scheme: 's3:',
  async open() {
    const { store, prefix } = open({ pageSize: 2 });
    return {
      store,
      count: async () =>
        (await keysIn(prefix)).length + (await readdir(drafts).catch(() => [])).length,
      age: (ageMs) => server.age(ageMs),
      async takeAway() {
        await server.stop();
        return () => server.startAgain();
      },
    };
  },
});

describe('a bucket', () => {
  const undo = useUndo();

  /** A server that answers as it is told. */
  async function answering(listener: RequestListener): Promise<string> {
    const other = createServer(listener);
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    undo.push(() => other.close());
    const address = other.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    return `http://127.0.0.1:${address.port}`;
  }

  const put = (store: OriginStore) => store.put(chunks('abc'), { maxBytes: 10 });

  const error = (code: string): string =>
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>The key ${secretKey} is wrong</Message></Error>`;

  it.each<{ title: string; options: Partial<BucketOptions>; words: string; hint: string }>([
    {
      title: 'that is not there',
      options: { bucket: 'nobodys' },
      words: 'there is no such bucket (404 NoSuchBucket)',
      hint: 'make the bucket, or correct OUTRIDER_S3_BUCKET',
    },
    {
      title: 'whose secret key is another',
      options: { secretKey: async () => ({ ok: true, secret: 'hunter2-secret' }) },
      words: 'the server does not accept the access key (403 SignatureDoesNotMatch)',
      hint: 'check OUTRIDER_S3_ACCESS_KEY_ID, and the secret that OUTRIDER_S3_SECRET_KEY_REF names',
    },
    {
      title: 'whose access key is unknown',
      options: { accessKeyId: 'somebody' },
      words: 'the server does not accept the access key (403 InvalidAccessKeyId)',
      hint: 'check OUTRIDER_S3_ACCESS_KEY_ID, and the secret that OUTRIDER_S3_SECRET_KEY_REF names',
    },
    {
      title: 'whose secret key cannot be read',
      options: { secretKey: async () => ({ ok: false, reason: 'file /run/key does not exist' }) },
      words: 'file /run/key does not exist',
      hint: 'OUTRIDER_S3_SECRET_KEY_REF says where the secret key is: env:NAME or file:PATH',
    },
    {
      title: 'of a server that is not there',
      options: { endpoint: 'http://127.0.0.1:1' },
      words: 'the server refused the connection (ECONNREFUSED)',
      hint: 'see that the server runs and can be reached from here, or correct OUTRIDER_S3_ENDPOINT',
    },
  ])(
    '$title is named, with what to do and without the secret',
    async ({ options, words, hint }) => {
      const { store } = open(options);
      const host = new URL(options.endpoint ?? server.url).host;
      const name = options.bucket ?? bucketName;
      const message = `media cannot be kept in the bucket "${name}" at ${host}: ${words}`;
      const places = [`s3:ab/ab${'0'.repeat(62)}`];
      const asks = [
        () => store.prepare(),
        () => put(store),
        () => store.open(places[0] ?? ''),
        () => store.remove(places[0] ?? ''),
        () => store.setAside(places[0] ?? ''),
        () => Array.fromAsync(store.list()),
      ];
      for (const ask of asks) {
        const refused = await ask().catch((each: unknown) => each);
        expect(refused).toMatchObject({ code: 'store_away', message, hint });
        expect(JSON.stringify(refused)).not.toContain('hunter2');
      }
      expect(await readdir(drafts)).toEqual([]);
    },
  );

  it.each([
    [403, error('AccessDenied'), 'access is denied (403 AccessDenied)'],
    [403, '', 'access is denied (403)'],
    [
      301,
      error('PermanentRedirect'),
      'the bucket is in another region, or at another address (301 PermanentRedirect)',
    ],
    [
      403,
      error('RequestTimeTooSkewed'),
      'the clocks of this machine and of the server differ too much (403 RequestTimeTooSkewed)',
    ],
    [507, error('XMinioStorageFull'), 'the server cannot do it now (507 XMinioStorageFull)'],
    [404, '<html>Not here</html>', 'the server answers in a way that is not of S3 (404)'],
  ])(
    'that is refused with %i %s says why, and quotes no more than the code',
    async (status, body, words) => {
      const endpoint = await answering((request, response) => {
        request.resume();
        response.writeHead(status).end(body);
      });
      const { store } = open({ endpoint });
      const refused = await put(store).catch((each: unknown) => each);
      expect(refused).toMatchObject({ message: expect.stringMatching(/: [^:]+$/) });
      expect(String(refused)).toContain(words);
      expect(String(refused)).not.toContain(secretKey);
    },
  );

  it('is asked again when its server cannot answer for a moment', async () => {
    let asked = 0;
    const endpoint = await answering((request, response) => {
      asked += 1;
      if (asked === 1) return request.socket.destroy();
      let size = 0;
      request.on('data', (chunk: Buffer) => void (size += chunk.byteLength));
      return request.on('end', () => {
        response.setHeader('etag', '"1"');
        response.writeHead(asked === 2 ? 503 : size === 3 ? 200 : 400).end(error('SlowDown'));
      });
    });
    const { store } = open({ endpoint, repeatAfterMs: [1, 1] });
    expect(await put(store)).toMatchObject({ sizeBytes: 3 });
    expect(asked).toBe(3);
  });

  it('whose bytes were changed is not read as if it were whole', async () => {
    const { store, prefix } = open();
    const { originUrl } = await put(store);
    await server.spoil(`${prefix}${originUrl.slice('s3:'.length)}`);
    await expect(contents(store, originUrl)).rejects.toThrow(
      'the bytes are not those of their hash',
    );
  });

  it('is told the hash of what it gets, and the type that the bytes show', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const endpoint = await answering((request, response) => {
      request.resume();
      request.on('end', () => response.setHeader('etag', '"1"').end());
      resolve({ method: request.method, url: request.url, headers: request.headers });
    });
    const { store, prefix } = open({ endpoint });
    const blob = await store.put(chunks('GIF89a'), { maxBytes: 10 });
    expect(await promise).toMatchObject({
      method: 'PUT',
      url: `/${bucketName}/${prefix}${blob.originUrl.slice('s3:'.length)}`,
      headers: {
        'x-amz-content-sha256': blob.sha256,
        'content-length': '6',
        'content-type': 'image/gif',
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=S3RVER\/\d{8}\/us-east-1\/s3\//,
        ),
      },
    });
  });

  it('is refused where the server is no S3 and says yes to everything', async () => {
    const endpoint = await answering((request, response) => {
      request.resume().on('end', () => response.end('<html>a router</html>'));
    });
    const { store } = open({ endpoint });
    const words = 'the server answers in a way that is not of S3';
    await expect(store.prepare()).rejects.toThrow(words);
    await expect(store.put(chunks('x'), { maxBytes: 10 })).rejects.toThrow(words);
    await expect(Array.fromAsync(store.list())).rejects.toThrow(words);
  });

  it('is refused where what was written is not what is read', async () => {
    const endpoint = await answering((request, response) => {
      response.setHeader('etag', '"1"');
      request.resume().on('end', () => response.end('<html>a router</html>'));
    });
    await expect(open({ endpoint }).store.prepare()).rejects.toThrow('not of S3');
  });

  it('whose list does not come on ends with an error', async () => {
    const object = '<Contents><Key>a</Key><Size>1</Size></Contents>';
    const endpoint = await answering((request, response) => {
      const page = `<ListBucketResult><IsTruncated>true</IsTruncated>${object}</ListBucketResult>`;
      request.resume().on('end', () => response.end(page));
    });
    const { store } = open({ endpoint });
    await expect(Array.fromAsync(store.list())).rejects.toThrow('not of S3');
  });

  it('may stand before the host name', async () => {
    const { store } = open({ endpoint: 'http://s3.invalid', forcePathStyle: false });
    await expect(put(store)).rejects.toThrow(
      `at ${bucketName}.s3.invalid: the server cannot be found`,
    );
  });
});
