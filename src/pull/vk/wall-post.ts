// A post of a wall, and what becomes of it here.

import { z } from 'zod';
import type { SourceItem } from '../source.ts';

const id = z.int();
const text = z.string().default('');
const Attachment = z.looseObject({ type: z.string() });
const Original = z.object({
  id,
  owner_id: id,
  text,
  attachments: z.array(Attachment).default([]),
});
const flag = z
  .union([z.literal([0, 1]), z.boolean()])
  .default(0)
  .transform(Boolean);

export const WallPost = z.object({
  id,
  owner_id: id,
  from_id: id.optional(),
  signer_id: id.optional(),
  /** In seconds. */
  date: z.int(),
  text,
  attachments: z.array(Attachment).default([]),
  /** The reposted post, and what that one reposts in turn. */
  copy_history: z.array(Original).default([]),
  is_pinned: flag,
  is_deleted: flag,
  marked_as_ads: flag,
  donut: z.looseObject({ placeholder: z.unknown().optional() }).optional(),
});

export type WallPost = z.output<typeof WallPost>;

/** Whether a reader of the wall sees a post there, and whether it is wanted. */
export function isWanted(post: WallPost, { ads }: { readonly ads: boolean }): boolean {
  const isClosed = post.donut?.placeholder !== undefined;
  return !post.is_deleted && !isClosed && (ads || !post.marked_as_ads);
}

function addressOf({ owner_id: owner, id: post }: Pick<WallPost, 'owner_id' | 'id'>): string {
  return `https://vk.com/wall${owner}_${post}`;
}

/** A post without text, photos and links still has its address. */
export function itemOf(post: WallPost): SourceItem {
  // What a repost shows is the first post of the chain that says or shows something.
  const original = post.copy_history.find(
    (each) => each.text !== '' || each.attachments.length > 0,
  );
  const attachments = [...post.attachments, ...(original?.attachments ?? [])];
  const own = withoutMarkup(post.text);
  const reposted = withoutMarkup(original?.text ?? '');
  const words = [own.text, reposted.text].filter((each) => each.trim() !== '').join('\n\n');
  const accounts = [...new Set([...own.accounts, ...reposted.accounts])].join(', ');
  const media = attachments.flatMap((each) => largestOf(each) ?? []).slice(0, 100);
  const links = [...new Set(attachments.flatMap((each) => linkOf(each) ?? []))].slice(0, 20);
  const itemRef = `${post.owner_id}_${post.id}`;
  return {
    itemRef,
    post: {
      source_ref: itemRef,
      ...(words === '' ? {} : { text: words }),
      url: addressOf(post),
      ...(media.length === 0 ? {} : { media: media.map((url) => ({ type: 'image', url })) }),
      ...(links.length === 0 ? {} : { links }),
      fields: {
        owner_id: post.owner_id,
        post_id: post.id,
        date: new Date(post.date * 1000).toISOString(),
        ...(post.from_id === undefined ? {} : { from_id: post.from_id }),
        ...(post.signer_id === undefined ? {} : { signer_id: post.signer_id }),
        ...(original === undefined ? {} : { reposted_from: addressOf(original) }),
        ...(accounts === '' ? {} : { accounts: accounts.slice(0, 4096) }),
      },
    },
  };
}

/** `[id1|Anna]`, `[club2|Pets]` and `[https://vk.com/page|a page]`. */
const markup = /\[((?:id|club|public|event|app)\d+|https?:\/\/[^|\]\s]+)(?::[^|\]]*)?\|([^\]]+)\]/g;

function withoutMarkup(given: string): { readonly text: string; readonly accounts: string[] } {
  const accounts: string[] = [];
  const shown = given.replaceAll(markup, (_, target: string, name: string) => {
    if (!target.startsWith('http')) accounts.push(target);
    return name;
  });
  return { text: shown, accounts };
}

const Size = z.object({
  type: z.string().default(''),
  url: z.string(),
  width: z.number().catch(0),
  height: z.number().catch(0),
});
const Photo = z.object({
  sizes: z.array(Size).default([]),
  orig_photo: Size.optional().catch(undefined),
});

/** The types of sizes, the largest first. Old photos say nothing but the type. */
const types = ['orig', 'max', 'w', 'z', 'y', 'r', 'q', 'p', 'x', 'o', 'm', 's'];

/** The address of a photo in its largest size; undefined when the attachment is none. */
function largestOf(attachment: WallPost['attachments'][number]): string | undefined {
  if (attachment.type !== 'photo') return undefined;
  const photo = Photo.safeParse(attachment['photo']).data;
  if (photo === undefined) return undefined;
  const original = photo.orig_photo === undefined ? [] : [{ ...photo.orig_photo, type: 'orig' }];
  const [largest] = [...photo.sizes, ...original]
    .filter(({ url }) => isAddress(url))
    .toSorted((a, b) => b.width * b.height - a.width * a.height || rank(a) - rank(b));
  return largest?.url;
}

function rank({ type }: z.output<typeof Size>): number {
  const place = types.indexOf(type);
  return place === -1 ? types.length : place;
}

const Owned = z.object({ id, owner_id: id });
const Addressed = z.object({ url: z.string() });

/** Videos, documents and links are shown by their address. */
function linkOf(attachment: WallPost['attachments'][number]): string | undefined {
  const { type } = attachment;
  const body = attachment[type];
  if (type === 'photo') return undefined;
  if (type === 'video' || type === 'clip') {
    const video = Owned.safeParse(body).data;
    return video === undefined ? undefined : `https://vk.com/video${video.owner_id}_${video.id}`;
  }
  if (type !== 'link' && type !== 'doc' && type !== 'article') return undefined;
  const url = Addressed.safeParse(body).data?.url;
  return url !== undefined && isAddress(url) ? url : undefined;
}

function isAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && url.length <= 2048 && URL.canParse(url);
}
