// The origin store on an S3-compatible server: each blob is an object under the hash of its bytes.

import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { draftsIn, faultsIn } from './drafts.ts';
import type { OriginStore } from './origin-store.ts';
import { blobOf, hashAt, hashIn, placeOf } from './place.ts';
import type { Bucket } from './s3-bucket.ts';

export interface S3StoreOptions {
  readonly bucket: Bucket;
  /** What the keys of all objects begin with: nothing, or ending in "/". */
  readonly prefix: string;
  /** The folder of this machine in which bytes wait until all of them are there. */
  readonly drafts: string;
}

const scheme = 's3:';

/** Addresses are relative to bucket and prefix, so that the objects can be moved. */
export function s3Store({ bucket, prefix, drafts: folder }: S3StoreOptions): OriginStore {
  const drafts = draftsIn(folder, faultsIn(folder));
  const keyOf = (sha256: string): string => `${prefix}${placeOf(sha256)}`;
  const asideOf = (sha256: string): string => `${prefix}aside/${sha256}`;
  return {
    async prepare() {
      await drafts.prepare();
      // Nothing else tells whether the server takes writes.
      await bucket.putEmpty(`${prefix}writable`);
    },
    put: (source, limit) =>
      drafts.write(source, limit, async (draft) => {
        await bucket.putFile(keyOf(draft.sha256), draft);
        return blobOf(draft, scheme);
      }),
    async open(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 === undefined) return undefined;
      // In its place a second time, because it may have been restored between the first two looks.
      for (const key of [keyOf(sha256), asideOf(sha256), keyOf(sha256)]) {
        const body = await bucket.get(key);
        if (body !== undefined) return verified(body, sha256);
      }
      return undefined;
    },
    async remove(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 === undefined) return;
      await bucket.remove(keyOf(sha256));
      await bucket.remove(asideOf(sha256));
    },
    async *list() {
      let after: string | undefined;
      do {
        const page = await bucket.list(prefix, after);
        for (const { key, sizeBytes, modifiedAt } of page.objects) {
          const place = key.slice(prefix.length);
          const isAside = place.startsWith('aside/');
          const sha256 = hashAt(isAside ? placeOf(place.slice('aside/'.length)) : place);
          const ageMs = page.listedAt.getTime() - modifiedAt.getTime();
          if (sha256 === undefined || Number.isNaN(ageMs)) continue;
          yield { originUrl: `${scheme}${placeOf(sha256)}`, sizeBytes, ageMs, isAside };
        }
        after = page.next;
      } while (after !== undefined);
    },
    async setAside(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 === undefined) return;
      if (await bucket.copy(keyOf(sha256), asideOf(sha256))) await bucket.remove(keyOf(sha256));
    },
    async restore(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 === undefined) return;
      if (await bucket.copy(asideOf(sha256), keyOf(sha256))) await bucket.remove(asideOf(sha256));
    },
    async discard(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 !== undefined) await bucket.remove(asideOf(sha256));
    },
  };
}

/** Breaks off at the end when the bytes are not those of the hash: nobody takes them for whole. */
function verified(body: Readable, sha256: string): Readable {
  const hash = createHash('sha256');
  const passing = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      done(
        hash.digest('hex') === sha256 ? null : new Error('the bytes are not those of their hash'),
      );
    },
  });
  // Whoever reads is told of a failure by the stream itself.
  pipeline(body, passing, () => undefined);
  return passing;
}
