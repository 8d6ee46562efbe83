// Erases what is kept about one person.

import { z } from 'zod';
import { at, callFunction } from './call.ts';
import { int8, timeInJson } from './columns.ts';
import type { Order } from './operate.ts';
import type { Queryable } from './pool.ts';

const Row = z.object({ kind: z.string(), rows: int8, details: z.unknown() });

const Post = z
  .object({
    channel_id: z.string(),
    delivery_id: z.string(),
    sent_at: timeInJson.nullable(),
    provider_message_ids: z.array(z.string()),
  })
  .transform((post) => ({
    channelId: post.channel_id,
    deliveryId: post.delivery_id,
    sentAt: post.sent_at,
    providerMessageIds: post.provider_message_ids,
  }));

/** A post that already stands in a chat; one without ids may stand there. */
export type StandingPost = z.output<typeof Post>;

const Payload = z
  .object({ payload_ref: z.string(), object_url: z.string() })
  .transform((each) => ({ payloadRef: each.payload_ref, objectUrl: each.object_url }));

export interface Erased {
  /** How many rows of each kind name the contact. */
  readonly counts: Readonly<Record<string, number>>;
  readonly posts: readonly StandingPost[];
  /** The raw payloads of the deliveries and messages that name it. */
  readonly payloads: readonly z.output<typeof Payload>[];
}

/** Takes a contact out of everything that the workspace keeps in the database; a dry run counts. */
export async function eraseContact(
  client: Queryable,
  request: Order & {
    readonly contact: string;
    /** How many raw payloads were removed before, for the record. */
    readonly rawPayloads?: number | undefined;
  },
  now?: string,
): Promise<Erased> {
  const { workspaceId, contact, dryRun, operator, reason, rawPayloads = 0 } = request;
  const rows = await callFunction(client, {
    name: 'erase_contact',
    args: at(now, [workspaceId, contact, dryRun ?? false, operator, reason, rawPayloads]),
    row: Row,
  });
  const detailsOf = (kind: string): unknown => rows.find((row) => row.kind === kind)?.details;
  return {
    counts: Object.fromEntries(rows.map((row) => [row.kind, row.rows])),
    posts: z.array(Post).parse(detailsOf('posts_in_chats') ?? []),
    payloads: z.array(Payload).parse(detailsOf('raw_payloads') ?? []),
  };
}
