// A file of the origin store that remembers what was done with it.

import { createHash } from 'node:crypto';
import { drawPicture } from '../../sandbox/vk/picture.ts';
import type { Blob, SendMedia } from '../../src/adapters/adapter.ts';

export class StoredBlob implements Blob {
  readonly blobRef: string;
  readonly filename: string;
  readonly contentType = 'image/png';
  sizeBytes: number | undefined;
  readonly sha256: string;
  fileId: string | undefined;
  opened = 0;
  readonly kept: string[] = [];
  /** Until when the last name was kept. */
  keptUntil: Date | undefined;
  forgotten = 0;
  /** The bytes are gone from the store. */
  isGone = false;
  /** What the store fails with, from now on. */
  fault: Error | undefined;
  readonly #bytes: Uint8Array;

  constructor(seed: string, bytes: Uint8Array = drawPicture(640, 480, seed)) {
    this.blobRef = `blob-${seed}`;
    this.filename = `${seed}.png`;
    this.#bytes = bytes;
    this.sizeBytes = bytes.byteLength;
    this.sha256 = createHash('sha256').update(bytes).digest('hex');
  }

  async open(): Promise<AsyncIterable<Uint8Array> | undefined> {
    this.opened += 1;
    if (this.fault !== undefined) throw this.fault;
    return this.isGone ? undefined : inPieces(this.#bytes);
  }

  async keep(fileId: string, expiresAt?: Date): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
    this.kept.push(fileId);
    this.keptUntil = expiresAt;
    this.fileId = fileId;
  }

  async forget(): Promise<void> {
    this.forgotten += 1;
    this.fileId = undefined;
  }

  asMedium(): SendMedia {
    return { type: 'image', source: { blob: this } };
  }
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const half = Math.ceil(bytes.byteLength / 2);
  yield bytes.subarray(0, half);
  yield bytes.subarray(half);
}
