// The origin store in a folder: each blob is a file under the hash of its bytes.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { contentTypeOf, headBytes } from './content-type.ts';
import { type OriginStore, type StoredBlob, TooLargeError } from './origin-store.ts';

const scheme = 'folder:';

/** Addresses are relative to the folder, so that it can be moved. */
export function folderStore(folder: string): OriginStore {
  const incoming = path.join(folder, 'incoming');
  return {
    async put(source, { maxBytes }) {
      await mkdir(incoming, { recursive: true });
      const draft = path.join(incoming, randomUUID());
      try {
        const written = await write(draft, source, maxBytes);
        const file = path.join(folder, placeOf(written.sha256));
        await mkdir(path.dirname(file), { recursive: true });
        await rename(draft, file);
        return written;
      } finally {
        await rm(draft, { force: true });
      }
    },
    async open(originUrl) {
      const file = pathOf(folder, originUrl);
      if (file === undefined) return undefined;
      if (await isFile(file)) return createReadStream(file);
      // The first blob has made this folder: where it is not, neither is the disk.
      await stat(incoming);
      return undefined;
    },
    async remove(originUrl) {
      const file = pathOf(folder, originUrl);
      if (file !== undefined) await rm(file, { force: true });
    },
  };
}

/** On disk before it has its name: a crash leaves a draft, never half a blob. */
async function write(
  draft: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let sizeBytes = 0;
  const file = await open(draft, 'wx');
  try {
    for await (const chunk of source) {
      if (sizeBytes < headBytes) head.push(chunk.subarray(0, headBytes - sizeBytes));
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw new TooLargeError(maxBytes);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
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

/** False when there is none; throws when that cannot be told. */
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

/** Undefined for what this store has not written: an address is no way out of the folder. */
function pathOf(folder: string, originUrl: string): string | undefined {
  if (!/^folder:[0-9a-f]{2}\/[0-9a-f]{64}$/.test(originUrl)) return undefined;
  return path.join(folder, originUrl.slice(scheme.length));
}
