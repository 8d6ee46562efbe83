// A post of a wall, and what becomes of it here. VK's posts have had many forms: what is not understood of one is left out,
// and the post comes without it.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { soundPost } from '../sound-post.ts';
import type { SourceItem } from '../source.ts';

const id = z.int();
const text = z.string().catch('');
const Attachment = z.looseObject({ type: z.string() });
const Attachments = z.array(z.unknown()).catch([]).transform(readable(Attachment));
const Original = z.object({ id, owner_id: id, text, attachments: Attachments });
const flag = z
  .union([z.literal([0, 1]), z.boolean()])
  .catch(0)
  .transform(Boolean);

const Post = z.object({
  id,
  owner_id: id,
  from_id: id.optional().catch(undefined),
  signer_id: id.optional().catch(undefined),
  /** In seconds. */
  date: z.int().min(0).optional().catch(undefined),
  text,
  attachments: Attachments,
  /** The reposted post, and what that one reposts in turn. */
  copy_history: z.array(z.unknown()).catch([]).transform(readable(Original)),
  is_pinned: flag,
  is_deleted: flag,
  marked_as_ads: flag,
  donut: z.looseObject({ placeholder: z.unknown().optional() }).optional().catch(undefined),
});

export interface WallPost extends z.output<typeof Post> {
  /** In seconds: its own, or that of the nearest post with one. */
  readonly date: number;
  readonly hasDate: boolean;
  /** For a post without a readable id: the name that we give it. */
  readonly unreadable?: string | undefined;
}

function readable<Schema extends z.ZodType>(schema: Schema) {
  return (values: readonly unknown[]): z.output<Schema>[] =>
    values.flatMap((value) => {
      const read = schema.safeParse(value);
      return read.success ? [read.data] : [];
    });
}

const daySeconds = 86_400;

/**
 * The posts of a page, the newest first. A post whose date is missing, or lies ahead, is as old as the post below it: a
 * date that lies ahead would, as a mark, hide all that comes later.
 */
export function readPosts(page: readonly unknown[], now = Date.now()): readonly WallPost[] {
  const latest = Math.floor(now / 1000) + daySeconds;
  const posts = page.map((given) => {
    const read = Post.safeParse(given).data ?? unreadable(given);
    return { ...read, date: (read.date ?? Infinity) > latest ? undefined : read.date };
  });
  const dateIn = (list: typeof posts): number | undefined =>
    list.find(({ date, is_pinned: isPinned }) => date !== undefined && !isPinned)?.date;
  return posts.map((post, place) => ({
    ...post,
    hasDate: post.date !== undefined,
    date:
      post.date ??
      dateIn(posts.slice(place + 1)) ??
      dateIn(posts.slice(0, place).toReversed()) ??
      0,
  }));
}

const Named = z.looseObject({});

/** It is handed in with nothing in it, so that intake refuses it on record. */
function unreadable(given: unknown): z.output<typeof Post> & { readonly unreadable: string } {
  const { id: name, owner_id: owner, date, text: words } = Named.safeParse(given).data ?? {};
  const said = JSON.stringify([typeof given, name, owner, date, words]);
  const hash = createHash('sha256').update(said).digest('hex');
  return {
    ...Post.parse({ id: -Number.parseInt(hash.slice(0, 12), 16), owner_id: 0, date }),
    unreadable: `unreadable-${hash.slice(0, 16)}`,
  };
}

/** Whether a reader of the wall sees a post there, and whether it is wanted. */
export function isWanted(post: WallPost, { ads }: { readonly ads: boolean }): boolean {
  const isClosed = (post.donut?.placeholder ?? null) !== null;
  return !post.is_deleted && !isClosed && (ads || !post.marked_as_ads);
}

function addressOf({ owner_id: owner, id: post }: Pick<WallPost, 'owner_id' | 'id'>): string {
  return `https://vk.com/wall${owner}_${post}`;
}

/** A post without text, photos and links still has its address. */
export function itemOf(post: WallPost): SourceItem {
  if (post.unreadable !== undefined) {
    return { itemRef: post.unreadable, post: { source_ref: post.unreadable } };
  }
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
  const found = {
    text: words,
    url: addressOf(post),
    media: media.map((url) => ({ type: 'image' as const, url })),
    fields: {
      owner_id: post.owner_id,
      post_id: post.id,
      date: post.hasDate ? new Date(post.date * 1000).toISOString() : undefined,
      from_id: post.from_id,
      signer_id: post.signer_id,
      reposted_from: original === undefined ? undefined : addressOf(original),
      accounts,
    },
  };
  return {
    itemRef,
    post: { ...soundPost(itemRef, found), ...(links.length === 0 ? {} : { links }) },
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
  type: z.string().catch(''),
  url: z.string(),
  width: z.number().catch(0),
  height: z.number().catch(0),
});
const Photo = z.object({
  sizes: z.array(z.unknown()).catch([]).transform(readable(Size)),
  orig_photo: Size.optional().catch(undefined),
});

/** The types of sizes, the largest first. Old photos say nothing but the type. */
const types = ['orig', 'max', 'w', 'z', 'y', 'r', 'q', 'p', 'x', 'o', 'm', 's'];

/** The address of a photo in its largest size; undefined when the attachment is no photo. */
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
