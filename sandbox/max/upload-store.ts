// Uploads: each has an address for one file, and a token by which messages name the file.

import { type Hash, randomBytes, randomInt } from 'node:crypto';
import type { MediaView } from '../simulator.ts';
import type { World } from './world.ts';

export type UploadType = 'image' | 'video' | 'audio' | 'file';

export interface StoredFile {
  readonly filename: string;
  readonly size: number;
  /** Unknown when it came in pieces that were not kept. */
  readonly sha256?: string | undefined;
  readonly head: Uint8Array;
}

/** Files are never kept. Pieces are counted, and hashed as long as they come in order. */
export interface Pieces {
  readonly received: number;
  readonly next: number;
  readonly hash?: Hash | undefined;
  readonly head: Uint8Array;
}

export interface Upload {
  readonly id: string;
  readonly type: UploadType;
  readonly token: string;
  /** Photo, video or file id. */
  readonly number: number;
  file?: StoredFile | undefined;
  /** What has arrived so far of an upload in pieces. */
  pieces?: Pieces | undefined;
  /** How many more sends are refused with `attachment.not.ready`. */
  notReady: number;
}

export function openUpload(world: World, type: UploadType): Upload {
  const upload: Upload = {
    id: randomBytes(12).toString('hex'),
    type,
    token: randomBytes(48).toString('base64url'),
    number: randomInt(1_000_000_000, 9_999_999_999),
    notReady: world.settings.notReadySends,
  };
  world.uploads.set(upload.id, upload);
  world.uploads.set(upload.token, upload);
  return upload;
}

export function uploadUrl(world: World, upload: Upload): string {
  return `${world.baseUrl}/upload.do?type=${upload.type}&id=${upload.id}`;
}

/** The address of the file. The sandbox keeps no files, so nothing is there. */
export function fileUrl(world: World, upload: Pick<Upload, 'id'>): string {
  return `${world.baseUrl}/files/${upload.id}`;
}

export function mediaView(upload: Upload): MediaView {
  const { filename, size, sha256 } = upload.file ?? {};
  return {
    type: upload.type,
    ...(filename === undefined ? {} : { filename }),
    ...(size === undefined ? {} : { size }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}
