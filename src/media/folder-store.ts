// The origin store in a folder: each blob is a file under the hash of its bytes.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { contentTypeOf, headBytes } from './content-type.ts';
import {
  type OriginStore,
  StoreAwayError,
  type StoredBlob,
  TooLargeError,
} from './origin-store.ts';

const scheme = 'folder:';

/** Addresses are relative to the folder, so that it can be moved. */
export function folderStore(folder: string): OriginStore {
  const incoming = path.join(folder, 'incoming');
  const onDisk: OnDisk = (work) =>
    work.catch((error: unknown) => {
      throw storeFault(error, folder);
    });
  return {
    async prepare() {
      await onDisk(makeFolder(incoming));
      for (const each of [folder, incoming]) {
        await onDisk(access(each, constants.W_OK | constants.X_OK));
      }
    },
    async put(source, { maxBytes }) {
      await onDisk(makeFolder(incoming));
      const draft = path.join(incoming, randomUUID());
      try {
        const written = await write(draft, source, { maxBytes, onDisk });
        const file = path.join(folder, placeOf(written.sha256));
        await onDisk(makeFolder(path.dirname(file)));
        await onDisk(rename(draft, file));
        return written;
      } finally {
        await onDisk(rm(draft, { force: true }));
      }
    },
    async open(originUrl) {
      const file = pathOf(folder, originUrl);
      if (file === undefined) return undefined;
      if (await isFile(file)) return createReadStream(file);
      // The first blob made this folder. If it is missing too, the disk is away and the blob is not gone: this throws.
      await stat(incoming);
      return undefined;
    },
    async remove(originUrl) {
      const file = pathOf(folder, originUrl);
      if (file !== undefined) await rm(file, { force: true });
    },
  };
}

/** Turns the errors of work on the file system into ours. What a source throws does not pass through here. */
type OnDisk = <Result>(work: Promise<Result>) => Promise<Result>;

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOENT: 'the folder is not there and cannot be made',
  ENOTDIR: 'there is a file where a folder must be',
  EEXIST: 'there is a file where a folder must be',
};

/** Leaves the error of a full disk as it is: callers have their own words for it. */
function storeFault(error: unknown, folder: string): unknown {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (typeof code !== 'string' || code === 'ENOSPC' || code === 'EDQUOT') return error;
  return new StoreAwayError(
    `media cannot be kept in ${folder}: ${reasons[code] ?? 'the file system fails'} (${code})`,
    'let the user that Outrider runs as write to that folder, or set OUTRIDER_DATA_DIR to one that it can write to',
  );
}

/** One folder at a time: Node's recursive mkdir never ends below a folder that refuses new ones, such as /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  await makeFolder(path.dirname(folder));
  try {
    await mkdir(folder);
  } catch (error) {
    if (!(await isFolder(folder))) throw error; // somebody else may have made it
  }
}

async function isFolder(target: string): Promise<boolean> {
  const found = await stat(target).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** Writes a draft, safely on disk before it is renamed to its place: a crash leaves a draft, never half a blob. */
async function write(
  draft: string,
  source: AsyncIterable<Uint8Array>,
  { maxBytes, onDisk }: { maxBytes: number; onDisk: OnDisk },
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let sizeBytes = 0;
  const file = await onDisk(open(draft, 'wx'));
  try {
    for await (const chunk of source) {
      if (sizeBytes < headBytes) head.push(chunk.subarray(0, headBytes - sizeBytes));
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw new TooLargeError(maxBytes);
      hash.update(chunk);
      await onDisk(file.writeFile(chunk));
    }
    await onDisk(file.sync());
  } finally {
    await file.close();
  }
  const sha256 = hash.digest('hex');
  return {
    blobRef: `sha256:${sha256}`,
    originUrl: `${scheme}${placeOf(sha256)}`,
    sha256,
    sizeBytes,
    contentType: contentTypeOf(Buffer.concat(head)),
  };
}

/** False when there is no such file; throws when nobody can tell. */
async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

function placeOf(sha256: string): string {
  return `${sha256.slice(0, 2)}/${sha256}`;
}

/** Undefined for an address that this store has not written, so no address leads out of the folder. */
function pathOf(folder: string, originUrl: string): string | undefined {
  if (!/^folder:[0-9a-f]{2}\/[0-9a-f]{64}$/.test(originUrl)) return undefined;
  return path.join(folder, originUrl.slice(scheme.length));
}
