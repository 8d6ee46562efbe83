// Where media and raw payloads are kept, as the configuration says: in a folder, or in a bucket of an S3-compatible server.

import path from 'node:path';
import type { Config } from '../config.ts';
import { OutriderError } from '../errors.ts';
import { folderStore } from '../media/folder-store.ts';
import { movedStore } from '../media/moved-store.ts';
import type { OriginStore } from '../media/origin-store.ts';
import { openBucket } from '../media/s3-bucket.ts';
import { s3Store } from '../media/s3-store.ts';
import type { Secrets } from '../secrets.ts';

export interface Stores extends AsyncDisposable {
  readonly media: OriginStore;
  /** Objects of raw payloads, encrypted. */
  readonly payloads: OriginStore;
}

type StoresConfig = Pick<Config, 'mediaDir' | 's3'>;

/** Asks no server. Throws where the configuration is not complete. */
export function openStores(config: StoresConfig, secrets: Pick<Secrets, 'ofReference'>): Stores {
  const { mediaDir, s3 } = config;
  // Beside the media, which have folders of two hex digits.
  const payloadsDir = path.join(mediaDir, 'payloads');
  const inFolder = { media: folderStore(mediaDir), payloads: folderStore(payloadsDir) };
  const { bucket: name, accessKeyId, secretKeyRef, prefix } = s3;
  if (name === undefined) {
    refuseOthers(s3);
    return { ...inFolder, [Symbol.asyncDispose]: async () => undefined };
  }
  if (accessKeyId === undefined || secretKeyRef === undefined) {
    const missing = accessKeyId === undefined ? 'ACCESS_KEY_ID' : 'SECRET_KEY_REF';
    throw new OutriderError('configuration', `OUTRIDER_S3_${missing} is not set`, {
      hint: 'a bucket needs OUTRIDER_S3_ACCESS_KEY_ID and OUTRIDER_S3_SECRET_KEY_REF',
    });
  }
  const bucket = openBucket({
    ...s3,
    bucket: name,
    accessKeyId,
    secretKey: () => secrets.ofReference(secretKeyRef, 'OUTRIDER_S3_SECRET_KEY_REF'),
  });
  const inBucket = (kind: string, folder: string): OriginStore =>
    s3Store({ bucket, prefix: `${prefix}${kind}/`, drafts: path.join(folder, 'incoming') });
  return {
    media: movedStore(inBucket('media', mediaDir), inFolder.media),
    payloads: movedStore(inBucket('payloads', payloadsDir), inFolder.payloads),
    [Symbol.asyncDispose]: () => bucket.close(),
  };
}

/** Somebody who names a server or a key means to use a bucket. */
function refuseOthers({ endpoint, accessKeyId, secretKeyRef }: Config['s3']): void {
  if ([endpoint, accessKeyId, secretKeyRef].every((each) => each === undefined)) return;
  throw new OutriderError('configuration', 'OUTRIDER_S3_BUCKET is not set', {
    hint: 'name the bucket, or take the other OUTRIDER_S3_ variables away to keep media in the data folder',
  });
}
