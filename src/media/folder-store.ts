// The origin store in a folder: each blob is a file under the hash of its bytes.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { contentTypeOf, headBytes } from './content-type.ts';
import {
  MissingBlobError,
  type OriginStore,
  type StoredBlob,
  TooLargeError,
} from './origin-store.ts';

const scheme = 'folder:';

/** Addresses are relative to the folder, so that it can be moved. */
export function folderStore(folder: string): OriginStore {
  return {
    async put(source, { maxBytes }) {
      const incoming = path.join(folder, 'incoming');
      await mkdir(incoming, { recursive: true });
      const draft = path.join(incoming, randomUUID());
      try {
        const written = await write(draft, source, maxBytes);
        await mkdir(path.dirname(pathOf(folder, written.originUrl)), { recursive: true });
        await rename(draft, pathOf(folder, written.originUrl));
        return written;
      } finally {
        await rm(draft, { force: true });
      }
    },
    async open(originUrl) {
      const file = pathOf(folder, originUrl);
      const found = await stat(file).catch(() => undefined);
      if (found?.isFile() !== true) throw new MissingBlobError();
      return createReadStream(file);
    },
    async remove(originUrl) {
      await rm(pathOf(folder, originUrl), { force: true });
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
    originUrl: `${scheme}${sha256.slice(0, 2)}/${sha256}`,
    sha256,
    sizeBytes,
    contentType: contentTypeOf(Buffer.concat(head)),
  };
}

// Only what this store has written: an address is no way out of the folder.
function pathOf(folder: string, originUrl: string): string {
  if (!/^folder:[0-9a-f]{2}\/[0-9a-f]{64}$/.test(originUrl)) throw new MissingBlobError();
  return path.join(folder, originUrl.slice(scheme.length));
}
