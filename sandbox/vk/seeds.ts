// Seeds posts that are on a wall from the start, for clients that read walls.

import { z } from 'zod';
import type { Photo } from './photos.ts';
import type { Attachment, Post } from './posts.ts';
import { secondsOf, type World } from './world.ts';

const count = z.int().nonnegative();

const photoSchema = z.strictObject({
  id: z.int().positive().optional(),
  owner_id: z.int().optional(),
  text: z.string().default(''),
  width: z.int().positive().default(1280),
  height: z.int().positive().default(853),
  /** As VK would show them; made up when missing. */
  sizes: z
    .array(z.strictObject({ type: z.string(), url: z.string(), width: count, height: count }))
    .optional(),
});

const postFields = {
  id: z.int().positive().optional(),
  /** In seconds; now when missing. */
  date: z.int().positive().optional(),
  from_id: z.int().optional(),
  signer_id: z.int().optional(),
  text: z.string().default(''),
  photos: z.array(photoSchema).default([]),
  /** Anything else as VK shows it: { "type": "video", "video": { … } }. */
  attachments: z.array(z.record(z.string(), z.unknown())).default([]),
  pinned: z.boolean().default(false),
  ads: z.boolean().default(false),
  copyright: z.string().optional(),
  state: z.enum(['published', 'postponed', 'suggested']).default('published'),
  likes: count.default(0),
  reposts: count.default(0),
  comments: count.default(0),
  views: count.default(0),
};

const originalSchema = z.strictObject({ ...postFields, owner_id: z.int() });

const seedSchema = z.strictObject({
  ...postFields,
  /** The reposted post and what it reposts in turn, newest first. */
  copy_history: z.array(originalSchema).default([]),
});

export const seedsSchema = z.strictObject({
  owner_id: z.int(),
  posts: z.array(seedSchema).min(1),
});

type Original = z.infer<typeof originalSchema>;

/** Puts the posts on the wall in the given order. Returns their ids. */
export function seedPosts(world: World, { owner_id: ownerId, posts }: z.infer<typeof seedsSchema>) {
  if (world.accounts.owner(ownerId) === undefined) throw new Error(`There is no owner ${ownerId}.`);
  const ids = posts.map(({ copy_history: history, ...seed }) => {
    const copyHistory = history.map((each) => ({ ...drawPost(world, each), id: each.id ?? 1 }));
    return world.walls.add({ ...drawPost(world, { ...seed, owner_id: ownerId }), copyHistory }).id;
  });
  return { ids };
}

function drawPost(
  world: World,
  seed: Original,
): Omit<Post, 'id'> & { readonly id?: number | undefined } {
  const date = seed.date ?? secondsOf(world);
  const { likes, reposts, comments, views } = seed;
  return {
    id: seed.id,
    ownerId: seed.owner_id,
    fromId: seed.from_id ?? seed.owner_id,
    signerId: seed.signer_id,
    createdAt: undefined,
    date,
    text: seed.text,
    attachments: [
      ...seed.photos.map(
        (each): Attachment => ({ kind: 'photo', photo: addPhoto(world, seed, each) }),
      ),
      ...seed.attachments.map(otherAttachment),
    ],
    state: seed.state,
    isPinned: seed.pinned,
    isAds: seed.ads,
    copyright: seed.copyright,
    copyHistory: [],
    counts: { likes, reposts, comments, views },
  };
}

function addPhoto(world: World, post: Original, photo: z.infer<typeof photoSchema>): Photo {
  return world.album.add({
    id: photo.id,
    ownerId: photo.owner_id ?? post.owner_id,
    albumId: -7,
    // VK's number for the community itself.
    userId: post.owner_id < 0 ? 100 : undefined,
    date: post.date ?? secondsOf(world),
    text: photo.text,
    width: photo.width,
    height: photo.height,
    sizes: photo.sizes,
    isPublic: true,
  });
}

function otherAttachment(given: Readonly<Record<string, unknown>>): Attachment {
  const type = z.string().parse(given['type']);
  const body = z.record(z.string(), z.unknown()).parse(given[type] ?? {});
  return { kind: 'other', type, body };
}
