// Whether media can be kept: writes a small object, reads it, and removes it with every folder that it made.

import { randomBytes } from 'node:crypto';
import { rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { OutriderError } from '../../errors.ts';
import type { OriginStore } from '../../media/origin-store.ts';
import { critical, type Finding } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';
import { TooSlowError, within } from '../within.ts';

export const mediaStore: DoctorCheck = {
  name: 'media_store',
  area: 'machine',
  asks: 'can an object be written to the media store, read and removed again',
  needs: 'machine',
  async look({ config, openStore, patienceMs }) {
    const { bucket } = config.s3;
    const where = bucket === undefined ? `folder ${config.mediaDir}` : `bucket ${bucket}`;
    try {
      const store = openStore();
      return await leavingNoFolders(config.dataDir, config.mediaDir, () =>
        within(patienceMs, probe(store, where)),
      );
    } catch (error) {
      if (error instanceof TooSlowError) {
        const says = `the media store did not answer within ${patienceMs / 1000} s`;
        return [critical(where, says, 'see that the server runs and can be reached from here')];
      }
      const hint = error instanceof OutriderError ? error.hint : undefined;
      const says = error instanceof OutriderError ? error.message : 'media cannot be kept there';
      const fix = hint ?? 'see that the folder or the bucket is there and can be written to';
      return [critical(where, says, fix)];
    }
  },
};

async function probe(store: OriginStore, where: string): Promise<Finding[]> {
  // As no other object is: the same bytes would be the same object.
  const bytes = randomBytes(64);
  const { originUrl } = await store.put(oneChunk(bytes), { maxBytes: bytes.byteLength });
  try {
    const read = await store.open(originUrl);
    const chunks: Uint8Array[] = [];
    if (read !== undefined) for await (const chunk of read) chunks.push(chunk);
    if (Buffer.concat(chunks).equals(bytes)) return [];
    const fix = 'see whether something else writes or deletes there';
    return [critical(where, 'an object that was just written cannot be read again', fix)];
  } finally {
    await store.remove(originUrl);
  }
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Takes the folders away that were not there before, unless somebody else has put something into them. */
async function leavingNoFolders<Result>(
  dataDir: string,
  mediaDir: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const folders = [dataDir, mediaDir, path.join(mediaDir, 'incoming')];
  const there = await Promise.all(folders.map((folder) => stat(folder).catch(() => undefined)));
  const made = folders.filter((_, n) => there[n] === undefined).toReversed();
  try {
    return await work();
  } finally {
    if (made.length > 0) await removeBlobFolders(mediaDir);
    for (const folder of made) await rmdir(folder).catch(() => undefined);
  }
}

/** Removes the 256 folders in which a folder store keeps its blobs, if they are empty. */
async function removeBlobFolders(mediaDir: string): Promise<void> {
  const names = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));
  await Promise.all(names.map((name) => rmdir(path.join(mediaDir, name)).catch(() => undefined)));
}
