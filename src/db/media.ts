// Where media are kept, and what providers call their copies.

import { z } from 'zod';
import { at, callForValue } from './call.ts';
import type { Queryable } from './pool.ts';

const nothing = z.literal('').transform(() => undefined);

/** Records that the origin store holds a blob. */
export async function keepMediaOrigin(
  client: Queryable,
  origin: {
    workspaceId: string;
    blobRef: string;
    originUrl: string;
    sha256: string;
    contentType: string;
    sizeBytes: number;
  },
  now?: string,
): Promise<void> {
  const { workspaceId, blobRef, originUrl, sha256, contentType, sizeBytes } = origin;
  await callForValue(client, {
    name: 'keep_media_origin',
    args: at(now, [workspaceId, blobRef, originUrl, sha256, contentType, sizeBytes]),
    row: nothing,
  });
}

/** Whether a channel of the workspace compares pictures, and nobody has said yet what this one looks like. */
export async function wantsPictureHash(
  client: Queryable,
  picture: { workspaceId: string; blobRef: string },
): Promise<boolean> {
  const { workspaceId, blobRef } = picture;
  return callForValue(client, {
    name: 'wants_picture_hash',
    args: [workspaceId, blobRef],
    row: z.boolean(),
  });
}

/** Records what a picture looks like, as 16 hex digits; false when the blob is gone. */
export async function keepPictureHash(
  client: Queryable,
  picture: { workspaceId: string; blobRef: string; pictureHash: string },
): Promise<boolean> {
  const { workspaceId, blobRef, pictureHash } = picture;
  return callForValue(client, {
    name: 'keep_picture_hash',
    args: [workspaceId, blobRef, pictureHash],
    row: z.boolean(),
  });
}

/** A provider's copy of a blob, made with one credential. */
export interface ProviderCopy {
  readonly workspaceId: string;
  readonly blobRef: string;
  readonly provider: string;
  readonly authRef: string;
  readonly fileId: string;
}

/** Records the provider's name for its copy. */
export async function keepMediaBlob(
  client: Queryable,
  copy: ProviderCopy & { expiresAt: string | null },
  now?: string,
): Promise<void> {
  const { workspaceId, blobRef, provider, authRef, fileId, expiresAt } = copy;
  await callForValue(client, {
    name: 'keep_media_blob',
    args: at(now, [workspaceId, blobRef, provider, authRef, fileId, expiresAt]),
    row: nothing,
  });
}

/** Forgets a copy that the provider no longer takes; false when it was forgotten already. */
export async function forgetMediaBlob(client: Queryable, copy: ProviderCopy): Promise<boolean> {
  const { workspaceId, blobRef, provider, authRef, fileId } = copy;
  return callForValue(client, {
    name: 'forget_media_blob',
    args: [workspaceId, blobRef, provider, authRef, fileId],
    row: z.boolean(),
  });
}
