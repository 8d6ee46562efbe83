// An S3 server that keeps objects in a folder. It verifies signatures; it does not compare the hash of a body.

import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import { type Bucket, type BucketOptions, openBucket } from '../../../src/media/s3-bucket.ts';
import { freePort } from './free-port.ts';

export interface S3Server extends AsyncDisposable {
  readonly url: string;
  /** The keys of all objects in the bucket. */
  keys(): Promise<string[]>;
  /** Makes objects look as if they had been written so long ago. */
  age(ageMs: number): Promise<void>;
  /** Changes the bytes of an object behind the server's back. */
  spoil(key: string): Promise<void>;
  stop(): Promise<void>;
  startAgain(): Promise<void>;
  bucket(options?: Partial<BucketOptions>): Bucket;
}

export const bucketName = 'pictures';
/** Those of the server; nobody else has them. */
export const accessKeyId = 'S3RVER';
export const secretKey = 'S3RVER';

const suffix = '._S3rver_object';

export async function startS3(directory: string): Promise<S3Server> {
  // It comes back to its port after it was away, so the system must not give it to anybody else.
  const port = await freePort();
  const start = async (): Promise<S3rver> => {
    const address = '127.0.0.1';
    const configureBuckets = [{ name: bucketName }];
    const server = new S3rver({ address, port, silent: true, directory, configureBuckets });
    await server.run();
    return server;
  };
  let server = await start();
  let isRunning = true;
  const opened: Bucket[] = [];
  const folder = path.join(directory, bucketName);
  const url = `http://127.0.0.1:${port}`;

  async function files(): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true });
    return entries.filter((name) => name.endsWith(suffix)).toSorted();
  }

  async function stop(): Promise<void> {
    if (isRunning) await server.close();
    isRunning = false;
  }

  return {
    url,
    keys: async () => (await files()).map((name) => name.slice(0, -suffix.length)),
    async age(ageMs) {
      const then = new Date(Date.now() - ageMs);
      for (const name of await files()) await utimes(path.join(folder, name), then, then);
    },
    async spoil(key) {
      const file = path.join(folder, `${key}${suffix}`);
      const bytes = await readFile(file);
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      await writeFile(file, bytes);
    },
    stop,
    async startAgain() {
      server = await start();
      isRunning = true;
    },
    bucket(options = {}) {
      const bucket = openBucket({
        endpoint: url,
        region: 'us-east-1',
        bucket: bucketName,
        accessKeyId,
        secretKey: async () => ({ ok: true, secret: secretKey }),
        forcePathStyle: true,
        repeatAfterMs: [1],
        ...options,
      });
      opened.push(bucket);
      return bucket;
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each.close();
      await stop();
    },
  };
}
