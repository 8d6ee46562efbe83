// Media: where the origin store keeps them, and the file ids of the copies that platforms have.

import { z } from 'zod';
import { at, callForValue, callFunction } from './call.ts';
import { int8, time } from './columns.ts';
import type { Queryable } from './pool.ts';

const nothing = z.literal('').transform(() => undefined);

/** Records that the origin store holds a blob, and where. */
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

/** Whether some channel of the workspace compares pictures, and the hash of this one is not known yet. */
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

/** The copy of a blob that a platform keeps, uploaded with one credential. */
export interface ProviderCopy {
  readonly workspaceId: string;
  readonly blobRef: string;
  readonly provider: string;
  readonly authRef: string;
  readonly fileId: string;
}

/** Records the file id that the platform gave to its copy. */
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

/** Forgets a file id that the platform no longer accepts; false when it was forgotten already. */
export async function forgetMediaBlob(client: Queryable, copy: ProviderCopy): Promise<boolean> {
  const { workspaceId, blobRef, provider, authRef, fileId } = copy;
  return callForValue(client, {
    name: 'forget_media_blob',
    args: [workspaceId, blobRef, provider, authRef, fileId],
    row: z.boolean(),
  });
}

const Known = z.object({ known_origins: z.string() }).transform((row) => row.known_origins);

/** Which of these addresses some workspace names. */
export async function knownOrigins(
  client: Queryable,
  originUrls: readonly string[],
): Promise<string[]> {
  return callFunction(client, { name: 'known_origins', args: [originUrls], row: Known });
}

const UnusedOrigin = z
  .object({
    blob_ref: z.string(),
    origin_url: z.string(),
    content_type: z.string().nullable(),
    size_bytes: int8.nullable(),
    last_seen_at: time,
  })
  .transform((row) => ({
    blobRef: row.blob_ref,
    originUrl: row.origin_url,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    lastSeenAt: row.last_seen_at,
  }));

export type UnusedOrigin = z.output<typeof UnusedOrigin>;

/** Files of a workspace that no message names and that have been kept long enough, the oldest first. */
export async function mediaGcCandidates(
  client: Queryable,
  request: { workspaceId: string; limit: number },
  now?: string,
): Promise<UnusedOrigin[]> {
  return callFunction(client, {
    name: 'media_gc_candidates',
    args: at(now, [request.workspaceId, request.limit]),
    row: UnusedOrigin,
  });
}

/** Forgets the files among these that are still unused; answers with how many. Their bytes stay. */
export async function forgetMediaOrigins(
  client: Queryable,
  request: { workspaceId: string; blobRefs: readonly string[] },
  now?: string,
): Promise<number> {
  return callForValue(client, {
    name: 'forget_media_origins',
    args: at(now, [request.workspaceId, request.blobRefs]),
    row: z.number(),
  });
}
