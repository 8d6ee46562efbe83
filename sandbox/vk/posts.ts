// The posts of every wall, and how the API shows one.

import { createHash } from 'node:crypto';
import { type Photo, type PhotoAddresses, photoObject } from './photos.ts';

export type Attachment =
  | { readonly kind: 'photo'; readonly photo: Photo }
  /** Everything that the sandbox does not examine: link, video, doc, poll, … */
  | {
      readonly kind: 'other';
      readonly type: string;
      readonly body: Readonly<Record<string, unknown>>;
    };

export type PostState = 'published' | 'postponed' | 'suggested' | 'deleted';

export interface Post {
  /** A postponed post gets a new id when it is published. */
  id: number;
  readonly ownerId: number;
  readonly fromId: number;
  readonly createdBy?: number | undefined;
  readonly signerId?: number | undefined;
  /** When it was posted, in milliseconds; undefined for a seeded post, which counts towards no limit. */
  readonly createdAt: number | undefined;
  /** When it appears, in seconds. */
  date: number;
  edited?: number | undefined;
  text: string;
  attachments: readonly Attachment[];
  state: PostState;
  isPinned: boolean;
  isAds: boolean;
  copyright?: string | undefined;
  postponedId?: number | undefined;
  readonly copyHistory: readonly Post[];
  readonly counts: PostCounts;
}

export interface PostCounts {
  readonly likes: number;
  readonly reposts: number;
  readonly comments: number;
  readonly views: number;
}

export interface Walls {
  owners(): number[];
  /** In the order of posting, deleted posts included. */
  of(ownerId: number): readonly Post[];
  find(ownerId: number, id: number): Post | undefined;
  /** Gives it the next id of the wall unless it has one. */
  add(post: Omit<Post, 'id'> & { readonly id?: number | undefined }): Post;
  /** Shows a postponed or suggested post; its id changes. */
  publish(post: Post, date: number): void;
  /** Publishes what has come due. */
  settle(now: number): void;
  /** How many posts since that moment fit. */
  countSince(ownerId: number, since: number, fits: (post: Post) => boolean): number;
}

export function createWalls(): Walls {
  const walls = new Map<number, Post[]>();
  const lastIds = new Map<number, number>();
  let waiting: Post[] = [];

  function nextId(ownerId: number, wanted?: number): number {
    const last = lastIds.get(ownerId) ?? 0;
    const id = wanted ?? last + 1;
    lastIds.set(ownerId, Math.max(last, id));
    return id;
  }

  function publish(post: Post, date: number): void {
    post.postponedId = post.id;
    post.id = nextId(post.ownerId);
    post.date = date;
    post.state = 'published';
  }

  return {
    owners: () => [...walls.keys()],
    of: (ownerId) => walls.get(ownerId) ?? [],
    find: (ownerId, id) =>
      walls.get(ownerId)?.findLast((post) => post.id === id && post.state !== 'deleted'),
    add(given) {
      const post = { ...given, id: nextId(given.ownerId, given.id) };
      const wall = walls.get(post.ownerId) ?? [];
      walls.set(post.ownerId, wall);
      if (post.isPinned) for (const each of wall) each.isPinned = false;
      wall.push(post);
      if (post.state === 'postponed') waiting.push(post);
      return post;
    },
    publish,
    settle(now) {
      waiting = waiting.filter((post) => post.state === 'postponed');
      const due = waiting.filter((post) => post.date * 1000 <= now);
      for (const post of due.toSorted((a, b) => a.date - b.date)) publish(post, post.date);
    },
    countSince(ownerId, since, fits) {
      const wall = walls.get(ownerId) ?? [];
      let count = 0;
      for (let index = wall.length - 1; index >= 0; index -= 1) {
        const post = wall[index];
        if (post?.createdAt === undefined) continue;
        if (post.createdAt <= since) break;
        if (fits(post)) count += 1;
      }
      return count;
    },
  };
}

const postTypes: Readonly<Record<PostState, string>> = {
  published: 'post',
  postponed: 'postpone',
  suggested: 'suggest',
  deleted: 'post',
};

/** The post as the API shows it; administrators also see who wrote it. */
export function postObject(
  post: Post,
  addresses: PhotoAddresses,
  forOwner: boolean,
): Readonly<Record<string, unknown>> {
  return {
    inner_type: 'wall_wallpost',
    donut: { is_donut: false },
    comments: { can_post: 1, count: post.counts.comments },
    marked_as_ads: post.isAds ? 1 : 0,
    short_text_rate: 0.8,
    hash: createHash('sha256')
      .update(`${post.ownerId}_${post.id}`)
      .digest('base64url')
      .slice(0, 18),
    type: 'post',
    ...(post.attachments.length === 0
      ? {}
      : { attachments: post.attachments.map((each) => attachmentObject(each, addresses)) }),
    ...(post.copyHistory.length === 0
      ? {}
      : { copy_history: post.copyHistory.map((each) => postObject(each, addresses, false)) }),
    ...(post.copyright === undefined
      ? {}
      : {
          copyright: { id: 0, link: post.copyright, type: 'link', name: hostOf(post.copyright) },
        }),
    ...(forOwner && post.createdBy !== undefined ? { created_by: post.createdBy } : {}),
    date: post.date,
    ...(post.edited === undefined ? {} : { edited: post.edited }),
    from_id: post.fromId,
    id: post.id,
    ...(post.isPinned ? { is_pinned: 1 } : {}),
    is_favorite: false,
    likes: { can_like: 1, count: post.counts.likes, user_likes: 0, can_publish: 1 },
    owner_id: post.ownerId,
    post_source: { type: 'api' },
    post_type: postTypes[post.state],
    ...(post.postponedId === undefined ? {} : { postponed_id: post.postponedId }),
    reposts: { count: post.counts.reposts, user_reposted: 0 },
    ...(post.signerId === undefined ? {} : { signer_id: post.signerId }),
    text: post.text,
    views: { count: post.counts.views },
  };
}

function attachmentObject(
  attachment: Attachment,
  addresses: PhotoAddresses,
): Readonly<Record<string, unknown>> {
  return attachment.kind === 'photo'
    ? { type: 'photo', photo: photoObject(attachment.photo, addresses) }
    : { type: attachment.type, [attachment.type]: attachment.body };
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
