// What a simulation begins with: the configuration of a workspace, its recorded posts, and how long sends have taken.

import { z } from 'zod';
import { callForValue, callFunction } from './call.ts';
import { int8, time } from './columns.ts';
import type { Queryable } from './pool.ts';

const object = z.record(z.string(), z.unknown());

const ShownConfiguration = z
  .object({
    status: z.enum(['active', 'paused', 'disabled']),
    document: object,
    earlier_templates: z.array(object),
  })
  .transform((row) => ({
    status: row.status,
    document: row.document,
    earlierTemplates: row.earlier_templates,
  }));

/** What decides when posts go out and how they look, as documents that `applyWorkspace` takes. */
export type ShownConfiguration = z.output<typeof ShownConfiguration>;

export async function showConfiguration(
  client: Queryable,
  workspaceId: string,
): Promise<ShownConfiguration> {
  return callForValue(client, {
    name: 'show_configuration',
    args: [workspaceId],
    row: ShownConfiguration,
  });
}

const KnownMedium = z
  .object({
    sha256: z.string(),
    content_type: z.string(),
    size_bytes: z.number(),
    picture_hash: z.string().nullable(),
  })
  .transform((row) => ({
    sha256: row.sha256,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    pictureHash: row.picture_hash,
  }));

export type KnownMedium = z.output<typeof KnownMedium>;

const ListedPost = z
  .object({
    message_id: z.string(),
    received_at: time,
    post: object,
    media: z.record(z.string(), KnownMedium).nullable(),
  })
  .transform((row) => ({
    messageId: row.message_id,
    receivedAt: row.received_at,
    /** As intake takes it. */
    post: row.post,
    /** What is known of its media, by blob_ref. */
    media: row.media ?? {},
  }));

export type ListedPost = z.output<typeof ListedPost>;

/** The latest recorded posts, in the order in which they came; one that came again is listed twice. */
export async function listPosts(
  client: Queryable,
  filter: {
    workspaceId: string;
    /** ISO 8601. */
    since?: string | undefined;
    until?: string | undefined;
    limit: number;
  },
): Promise<ListedPost[]> {
  const { workspaceId, since, until, limit } = filter;
  return callFunction(client, {
    name: 'list_posts',
    args: [workspaceId, since ?? null, until ?? null, limit],
    row: ListedPost,
  });
}

const SendTimes = z
  .object({ platform: z.string(), sends: int8, quantiles_ms: z.array(z.number()).nullable() })
  .transform((row) => ({
    platform: row.platform,
    sends: row.sends,
    /** The least, each tenth, the most; none where no send counts. */
    quantilesMs: row.quantiles_ms ?? [],
  }));

export type SendTimes = z.output<typeof SendTimes>;

/** How long the latest sends took, by platform; of each channel the latest `limit` deliveries are looked at. */
export async function listSendTimes(
  client: Queryable,
  request: { workspaceId: string; limit: number },
): Promise<SendTimes[]> {
  return callFunction(client, {
    name: 'list_send_times',
    args: [request.workspaceId, request.limit],
    row: SendTimes,
  });
}

/** The milliseconds since 1970 of a time as PostgreSQL wrote it, rounded up. */
export function millisOf(exact: string): number {
  const at = time.parse(exact).getTime();
  return /\.\d{3}0*[1-9]/.test(exact) ? at + 1 : at;
}
