// The media of an item, copied into the origin store one by one. A medium that can never be fetched is left
// out. One that cannot be fetched for now holds the item back.

import type { LeftOutMedium } from '../db/intake.ts';
import { type ImportContext, importMedia } from '../media/import-media.ts';
import type { RawPost } from './prepared-post.ts';

export type ItemMedia =
  | { readonly ok: true; readonly post: RawPost; readonly leftOut: readonly LeftOutMedium[] }
  /** A medium cannot be fetched for now. */
  | { readonly ok: false; readonly reason: string };

export interface MediaRequest {
  readonly workspaceId: string;
  readonly signal: AbortSignal;
  /** Whether the post is taken without media that cannot be fetched for now. */
  readonly isLastTry: boolean;
}

/** Whether something of it has to be fetched. */
export function hasAddresses(post: RawPost): boolean {
  return mediaOf(post).some(
    (each) => typeof each === 'object' && each !== null && 'url' in each && each.url !== null,
  );
}

const atOnce = 4;

export async function importItemMedia(
  context: ImportContext,
  post: RawPost,
  { workspaceId, signal, isLastTry }: MediaRequest,
): Promise<ItemMedia> {
  const media: unknown[] = [];
  const leftOut: LeftOutMedium[] = [];
  const all = [...mediaOf(post).entries()];
  for (let from = 0; from < all.length; from += atOnce) {
    const some = all.slice(from, from + atOnce);
    const imported = await Promise.all(
      some.map(([, medium]) => importMedia(context, workspaceId, { media: [medium] }, signal)),
    );
    signal.throwIfAborted();
    for (const [n, each] of imported.entries()) {
      if (each.ok) {
        media.push(...mediaOf(each.post));
        continue;
      }
      const { reason, transient } = each.fault;
      const path = `media[${some[n]?.[0]}].url`;
      if (transient && !isLastTry) return { ok: false, reason: `${path}: ${reason}` };
      leftOut.push({ path, reason });
    }
  }
  const { media: _replaced, ...others } = post;
  return { ok: true, post: media.length === 0 ? others : { ...others, media }, leftOut };
}

function mediaOf(post: unknown): readonly unknown[] {
  const media: unknown =
    typeof post === 'object' && post !== null ? Reflect.get(post, 'media') : undefined;
  return Array.isArray(media) ? media : [];
}
