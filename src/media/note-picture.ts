// Notes what a picture looks like, where a channel of the workspace compares pictures. A picture that cannot be read is
// not compared; the post comes in all the same.

import { keepPictureHash, wantsPictureHash } from '../db/media.ts';
import type { Queryable } from '../db/pool.ts';
import type { MediaFetcher } from './media-fetcher.ts';
import type { StoredBlob } from './origin-store.ts';
import { isPicture } from './picture-hash.ts';

export async function notePicture(
  { client, fetcher }: { client: Queryable; fetcher: Pick<MediaFetcher, 'pictureHash'> },
  workspaceId: string,
  blob: StoredBlob,
): Promise<void> {
  const { blobRef } = blob;
  if (!isPicture(blob) || !(await wantsPictureHash(client, { workspaceId, blobRef }))) return;
  const pictureHash = await fetcher.pictureHash(blob);
  if (pictureHash === undefined) return;
  await keepPictureHash(client, { workspaceId, blobRef, pictureHash });
}
