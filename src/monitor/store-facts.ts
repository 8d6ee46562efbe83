// Whether this machine can keep media: asked once a minute, told with the signs of life.

import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../clock.ts';

export interface StoreFactsOptions {
  readonly clock: Clock;
  /** The folder that everything is kept in. */
  readonly dataDir: string;
  /** Throws when blobs cannot be kept. */
  readonly prepare: () => Promise<void>;
  readonly freeSpace?: ((folder: string) => Promise<FreeSpace>) | undefined;
}

export interface FreeSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** `store_refuses` says in words why media cannot be kept, or soon cannot; it is missing when they can. */
export type StoreFacts = () => Promise<Readonly<Record<string, unknown>>>;

const everyMs = 60_000;
const leastBytes = 500 * 1024 * 1024;
const leastShare = 0.05;

export function createStoreFacts(options: StoreFactsOptions): StoreFacts {
  const { clock, freeSpace = freeSpaceOf } = options;
  let askAgainAt = Number.NEGATIVE_INFINITY;
  let known: Readonly<Record<string, unknown>> = {};

  async function refusal(): Promise<string | undefined> {
    try {
      await options.prepare();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    const space = await freeSpace(options.dataDir).catch(() => undefined);
    return space === undefined ? undefined : shortage(space, options.dataDir);
  }

  return async () => {
    if (clock.now() < askAgainAt) return known;
    askAgainAt = clock.now() + everyMs;
    const words = await refusal();
    known = words === undefined ? {} : { store_refuses: words };
    return known;
  };
}

function shortage({ freeBytes, totalBytes }: FreeSpace, folder: string): string | undefined {
  if (freeBytes >= leastBytes && freeBytes >= totalBytes * leastShare) return undefined;
  const megabytes = Math.floor(freeBytes / 1024 / 1024);
  return `the disk of ${folder} has ${megabytes} MB left`;
}

/** Of the folder, or of the nearest one above it that is there. */
export async function freeSpaceOf(folder: string): Promise<FreeSpace> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch (error) {
    const above = path.dirname(folder);
    if (above === folder) throw error;
    return freeSpaceOf(above);
  }
}
