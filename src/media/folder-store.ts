// The origin store in a folder: each blob is a file under the hash of its bytes.

import { createReadStream } from 'node:fs';
import { access, constants, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { draftsIn, faultsIn, makeFolder } from './drafts.ts';
import { type ListedBlob, type OriginStore, StoreAwayError } from './origin-store.ts';
import { blobOf, hashAt, hashIn, placeOf } from './place.ts';

const scheme = 'folder:';

/** Addresses are relative to the folder, so that it can be moved. */
export function folderStore(folder: string): OriginStore {
  const incoming = path.join(folder, 'incoming');
  const aside = path.join(folder, 'aside');
  const onDisk = faultsIn(folder);
  const drafts = draftsIn(incoming, onDisk);
  const fileOf = (sha256: string): string => path.join(folder, placeOf(sha256));
  const asideOf = (sha256: string): string => path.join(aside, sha256);
  return {
    async prepare() {
      await drafts.prepare();
      await onDisk(access(folder, constants.W_OK | constants.X_OK));
    },
    put: (source, limit) =>
      drafts.write(source, limit, async (draft) => {
        const file = fileOf(draft.sha256);
        await onDisk(makeFolder(path.dirname(file)));
        await onDisk(rename(draft.file, file));
        return blobOf(draft, scheme);
      }),
    async open(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 === undefined) return undefined;
      // In its place a second time, because it may have been restored between the first two looks.
      for (const file of [fileOf(sha256), asideOf(sha256), fileOf(sha256)]) {
        if (await isFile(file)) return createReadStream(file);
      }
      // The first blob made this folder. If it is missing too, the disk is away and the blob is not gone.
      await stat(incoming).catch((error: unknown) => {
        throw new StoreAwayError(
          `the files cannot be looked for in ${folder}: ${String(error)}`,
          'set OUTRIDER_DATA_DIR to the folder that the processes of Outrider use',
        );
      });
      return undefined;
    },
    async remove(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 === undefined) return;
      await rm(fileOf(sha256), { force: true });
      await rm(asideOf(sha256), { force: true });
    },
    async *list() {
      for (const prefix of await namesIn(folder)) {
        if (!/^[0-9a-f]{2}$/.test(prefix)) continue;
        for (const name of await namesIn(path.join(folder, prefix))) {
          const sha256 = hashAt(`${prefix}/${name}`);
          if (sha256 !== undefined) yield* listed(fileOf(sha256), sha256, false);
        }
      }
      for (const name of await namesIn(aside)) {
        const sha256 = hashAt(placeOf(name));
        if (sha256 !== undefined) yield* listed(asideOf(sha256), sha256, true);
      }
    },
    async setAside(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 === undefined) return;
      const now = new Date();
      // The time first: a file that was moved and still has its old time could be removed at once.
      await ifThere(utimes(fileOf(sha256), now, now));
      await onDisk(makeFolder(aside));
      await ifThere(rename(fileOf(sha256), asideOf(sha256)));
    },
    async restore(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 === undefined) return;
      await onDisk(makeFolder(path.dirname(fileOf(sha256))));
      await ifThere(rename(asideOf(sha256), fileOf(sha256)));
    },
    async discard(originUrl) {
      const sha256 = hashIn(originUrl, scheme);
      if (sha256 !== undefined) await rm(asideOf(sha256), { force: true });
    },
  };
}

/** None when it has gone meanwhile. */
async function* listed(file: string, sha256: string, isAside: boolean): AsyncGenerator<ListedBlob> {
  const found = await ifThere(stat(file));
  if (found?.isFile() !== true) return;
  const ageMs = Date.now() - found.mtimeMs;
  yield { originUrl: `${scheme}${placeOf(sha256)}`, sizeBytes: found.size, ageMs, isAside };
}

/** None for a folder that is not there: the disk may be away, and nothing is known of what it holds. */
async function namesIn(folder: string): Promise<string[]> {
  return ((await ifThere(readdir(folder))) ?? []).toSorted();
}

/** False when there is no such file; throws when nobody can tell. */
async function isFile(file: string): Promise<boolean> {
  return (await ifThere(stat(file)))?.isFile() === true;
}

/** Undefined when the file is not there. */
async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
