// Posts as wall.get and wall.getById show them: enough to tell what is attached, and whether an unanswered send made
// the post.

import { z } from 'zod';
import type { Caller } from '../caller.ts';
import type { Answer, VkApi } from './api.ts';
import type { Target } from './target.ts';

const WallPost = z.object({
  id: z.int().positive(),
  /** In seconds. */
  date: z.int(),
  text: z.string().default(''),
  is_pinned: z.int().optional(),
  is_deleted: z.boolean().optional(),
  attachments: z.array(z.looseObject({ type: z.string() })).default([]),
});
const WallPosts = z.object({ items: z.array(WallPost) });
const Medium = z.object({
  id: z.int(),
  owner_id: z.int(),
  access_key: z.string().optional(),
});
const Link = z.object({ url: z.string() });

export type WallPost = z.output<typeof WallPost>;

/** Undefined when there is no such post. */
export async function readPost(
  api: VkApi,
  caller: Caller,
  wall: Target,
  id: string,
): Promise<Answer<WallPost | undefined>> {
  const posts = `${wall.ownerId}_${id}`;
  const read = await api.call(caller, 'wall.getById', { posts }, WallPosts);
  if (!read.ok) return read;
  const post = read.value.items[0];
  return { ok: true, value: post?.is_deleted === true ? undefined : post };
}

/** The names of attachments as wall.edit takes them; undefined for an attachment without such a name. */
export function attachmentNames(post: WallPost): (string | undefined)[] {
  return post.attachments.map((attachment) => {
    const { type } = attachment;
    const body = attachment[type];
    if (type === 'link') return Link.safeParse(body).data?.url;
    const medium = Medium.safeParse(body).data;
    if (medium === undefined) return undefined;
    const key = medium.access_key === undefined ? '' : `_${medium.access_key}`;
    return `${type}${medium.owner_id}_${medium.id}${key}`;
  });
}

/** Names without their access key, for comparing. */
export function withoutKey(name: string): string {
  return name.split('_', 2).join('_');
}

export interface SoughtPost {
  readonly text: string;
  /** Names of its photos, as far as they are known. */
  readonly photos: readonly string[];
  /** An older post cannot be the sought one. */
  readonly since: Date;
}

const pageSize = 100;
const maxPages = 5;

/** The oldest post of the wall's owner that is the sought one; later ones may be copies. */
export async function findPost(
  api: VkApi,
  caller: Caller,
  wall: Target,
  sought: SoughtPost,
): Promise<Answer<WallPost | undefined>> {
  const since = Math.floor(sought.since.getTime() / 1000);
  let found: WallPost | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const read = await api.call(
      caller,
      'wall.get',
      {
        owner_id: wall.ownerId,
        filter: wall.fromGroup ? 'owner' : 'all',
        count: pageSize,
        offset: page * pageSize,
      },
      WallPosts,
    );
    if (!read.ok) return read;
    const { items } = read.value;
    const fresh = items.filter((post) => post.date >= since);
    found = fresh.findLast((post) => isSought(post, sought)) ?? found;
    // The pinned post stands in front of all others, however old it is.
    const reachedPast = items.some((post) => post.is_pinned !== 1 && post.date < since);
    if (reachedPast || items.length < pageSize) break;
  }
  return { ok: true, value: found };
}

function isSought(post: WallPost, { text, photos }: SoughtPost): boolean {
  if (asShown(text) !== '') return asShown(post.text) === asShown(text);
  const attached = attachmentNames(post).map((name) => withoutKey(name ?? ''));
  const sought = photos.map(withoutKey);
  return (
    post.text === '' &&
    sought.length > 0 &&
    attached.length === sought.length &&
    sought.every((name, index) => name === attached[index])
  );
}

function asShown(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}
