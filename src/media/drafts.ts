// Bytes on their way into a store. They are written to a file first: only then are their hash and their length known, and
// nothing half-written gets a place in the store.

import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { contentTypeOf, headBytes } from './content-type.ts';
import { StoreAwayError, TooLargeError } from './origin-store.ts';

export interface Draft {
  readonly file: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** As the first bytes show. */
  readonly contentType: string;
}

export interface Drafts {
  /** Makes their folder, sees that files can be written there, and removes what puts that died have left. */
  prepare(): Promise<void>;
  /**
   * Writes the bytes to a file, safely on disk, and hands it to `use`; afterwards the file is gone. Throws TooLargeError
   * past the limit, and what the source throws.
   */
  write<Used>(
    source: AsyncIterable<Uint8Array>,
    limit: { maxBytes: number },
    use: (draft: Draft) => Promise<Used>,
  ): Promise<Used>;
}

/** Turns the errors of work on the file system into ours. What a source throws does not pass through here. */
export type OnDisk = <Result>(work: Promise<Result>) => Promise<Result>;

/** No put takes so long. */
const abandonedMs = 24 * 3_600_000;

export function draftsIn(folder: string, onDisk: OnDisk): Drafts {
  return {
    async prepare() {
      await onDisk(makeFolder(folder));
      await onDisk(access(folder, constants.W_OK | constants.X_OK));
      await onDisk(removeAbandoned(folder));
    },
    async write(source, limit, use) {
      await onDisk(makeFolder(folder));
      const file = path.join(folder, randomUUID());
      try {
        return await use(await written(file, source, limit, onDisk));
      } finally {
        await onDisk(rm(file, { force: true }));
      }
    },
  };
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    const isAbandoned = found?.isFile() === true && Date.now() - found.mtimeMs > abandonedMs;
    if (isAbandoned) await rm(file, { force: true });
  }
}

async function written(
  file: string,
  source: AsyncIterable<Uint8Array>,
  { maxBytes }: { readonly maxBytes: number },
  onDisk: OnDisk,
): Promise<Draft> {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let sizeBytes = 0;
  const handle = await onDisk(open(file, 'wx'));
  try {
    for await (const chunk of source) {
      if (sizeBytes < headBytes) head.push(chunk.subarray(0, headBytes - sizeBytes));
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw new TooLargeError(maxBytes);
      hash.update(chunk);
      await onDisk(handle.writeFile(chunk));
    }
    await onDisk(handle.sync());
  } finally {
    await handle.close();
  }
  const contentType = contentTypeOf(Buffer.concat(head));
  return { file, sha256: hash.digest('hex'), sizeBytes, contentType };
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOENT: 'the folder is not there and cannot be made',
  ENOTDIR: 'there is a file where a folder must be',
  EEXIST: 'there is a file where a folder must be',
};

/** Errors of work in a folder. Leaves that of a full disk as it is: callers have their own words for it. */
export function faultsIn(folder: string): OnDisk {
  return (work) =>
    work.catch((error: unknown) => {
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
      if (typeof code !== 'string' || code === 'ENOSPC' || code === 'EDQUOT') throw error;
      throw new StoreAwayError(
        `media cannot be kept in ${folder}: ${reasons[code] ?? 'the file system fails'} (${code})`,
        'let the user that Outrider runs as write to that folder, or set OUTRIDER_DATA_DIR to one that it can write to',
      );
    });
}

/** One folder at a time: Node's recursive mkdir never ends below a folder that refuses new ones, such as /proc. */
export async function makeFolder(folder: string): Promise<void> {
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
