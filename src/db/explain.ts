// Says why a post waits, failed, or is not there, in sentences; and finds the posts that somebody means.

import { z } from 'zod';
import { at, callFunction } from './call.ts';
import { time } from './columns.ts';
import type { Queryable } from './pool.ts';

const reason = {
  because: z.string(),
  until: time.nullable(),
  /** `reason` is its name in docs/explain.md; the rest are the facts in the sentences. */
  detail: z.record(z.string(), z.unknown()),
  advice: z.string(),
};

const Explanation = z.object(reason);

/** Why, until when, and what to do. `because` and `advice` are finished sentences, masked. */
export type Explanation = z.output<typeof Explanation>;

const PostExplanation = z
  .object({
    message_id: z.string().nullable(),
    delivery_id: z.string().nullable(),
    channel_id: z.string().nullable(),
    status: z.string().nullable(),
    ...reason,
  })
  .transform((row) => ({
    messageId: row.message_id,
    deliveryId: row.delivery_id,
    channelId: row.channel_id,
    status: row.status,
    because: row.because,
    until: row.until,
    detail: row.detail,
    advice: row.advice,
  }));

/** The same of a post in one channel, or, without a channel, of the post as a whole. */
export type PostExplanation = z.output<typeof PostExplanation>;

const FoundPost = z
  .object({
    message_id: z.string(),
    delivery_id: z.string().nullable(),
    channel_id: z.string().nullable(),
    status: z.string().nullable(),
    source_ref: z.string().nullable(),
    excerpt: z.string(),
    created_at: time,
  })
  .transform((row) => ({
    messageId: row.message_id,
    deliveryId: row.delivery_id,
    channelId: row.channel_id,
    status: row.status,
    sourceRef: row.source_ref,
    excerpt: row.excerpt,
    createdAt: row.created_at,
  }));

/** One delivery of a post that was looked for; a post without deliveries has one such row. */
export type FoundPost = z.output<typeof FoundPost>;

/** Why a delivery waits, how it ended, or why it is not there; the main reason first. */
export async function explainDelivery(
  client: Queryable,
  request: { readonly workspaceId: string; readonly deliveryId: string },
  now?: string,
): Promise<Explanation[]> {
  return callFunction(client, {
    name: 'explain_delivery',
    args: at(now, [request.workspaceId, request.deliveryId]),
    row: Explanation,
  });
}

export interface PostQuestion {
  readonly workspaceId: string;
  /** An id, a source_ref, the name of an item of a source, or words of the post. */
  readonly search: string;
  readonly channelId?: string | undefined;
}

/** What became of a post in each channel, or in one, and why; or why nothing of it is there. */
export async function explainPost(
  client: Queryable,
  request: PostQuestion,
  now?: string,
): Promise<PostExplanation[]> {
  return callFunction(client, {
    name: 'explain_post',
    args: at(now, [request.workspaceId, request.search, request.channelId ?? null]),
    row: PostExplanation,
  });
}

export interface PostSearch {
  readonly workspaceId: string;
  readonly search: string;
  readonly limit: number;
}

/** The posts that somebody means, those that fit best first, with what became of each. */
export async function findPosts(
  client: Queryable,
  request: PostSearch,
  now?: string,
): Promise<FoundPost[]> {
  return callFunction(client, {
    name: 'find_posts',
    args: at(now, [request.workspaceId, request.search, request.limit]),
    row: FoundPost,
  });
}
