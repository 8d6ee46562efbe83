// The media of a previewed post as a send would find them. Links are not fetched: what would be copied from there stands
// in with what is known of it.

import { z } from 'zod';
import type { MediaType } from '../adapters/adapter.ts';
import type { ClaimedDelivery } from '../db/claim.ts';
import { namedByAddress } from '../media/file-name.ts';

type Payload = NonNullable<ClaimedDelivery['payload']>;
type Media = ClaimedDelivery['media'];

const Item = z.looseObject({
  type: z.enum(['image', 'video', 'audio', 'file', 'animation']),
  url: z.string().optional(),
  blob_ref: z.string().optional(),
  filename: z.string().optional(),
  is_copied: z.boolean().optional(),
});

const Items = z.array(Item).default([]);

/** A medium of the post, for people. */
export interface PreviewedMedium {
  /** As in `media[2]`. */
  readonly path: string;
  /** The name of its file, as far as it is known. */
  readonly label: string;
  readonly url?: string | undefined;
  /** It is a link that was not fetched. */
  readonly isLink: boolean;
}

export function mediaOf(payload: Payload): PreviewedMedium[] {
  return Items.parse(payload['media']).map((item, index) => {
    const { url, filename, blob_ref: blobRef } = item;
    const label = filename ?? (url === undefined ? undefined : namedByAddress(url)) ?? blobRef;
    return { path: `media[${index}]`, label: label ?? item.type, url, isLink: url !== undefined };
  });
}

const usualType: Readonly<Record<MediaType, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/mpeg',
  file: 'application/octet-stream',
  animation: 'image/gif',
};

/** The same post, with a blob in place of each link that would be copied. */
export function withStandIns(
  payload: Payload,
  media: Media,
): { readonly payload: Payload; readonly media: Media } {
  const stored: Record<string, Readonly<Record<string, unknown>>> = { ...media };
  const items = Items.parse(payload['media']).map((item, index) => {
    if (item.is_copied !== true) return item;
    const { url: _address, is_copied: _mark, ...others } = item;
    const blobRef = `link-${index}`;
    stored[blobRef] = { ...unknownBlob, content_type: usualType[item.type] };
    return { ...others, blob_ref: blobRef };
  });
  return items.length === 0
    ? { payload, media }
    : { payload: { ...payload, media: items }, media: stored };
}

const unknownBlob = { origin_url: 'preview:', size_bytes: null, file_id: null, expires_at: null };
