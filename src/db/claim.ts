// Claims deliveries, keeps the claims while their sends go on, and gives deliveries back.

import { z } from 'zod';
import { at, callForRow, callForValue, callFunction, json } from './call.ts';
import { exactTime, int8, int8InJson, time } from './columns.ts';
import type { Queryable } from './pool.ts';
import { jsonAsText, repeatedJson } from './repeated-json.ts';

const object = z.record(z.string(), z.unknown());

const ClaimedChannel = z
  .object({
    channel_id: z.string(),
    platform: z.string(),
    target_id: z.string(),
    auth_ref: z.string(),
    secret_ref: z.string().nullable(),
    rate_group: z.string(),
    settings: object,
  })
  .transform((channel) => ({
    channelId: channel.channel_id,
    platform: channel.platform,
    targetId: channel.target_id,
    authRef: channel.auth_ref,
    secretRef: channel.secret_ref,
    rateGroup: channel.rate_group,
    settings: channel.settings,
  }));

const claimed = z.object({
  delivery_id: z.string(),
  claim_token: z.string(),
  lease_ms: int8InJson,
  attempt: z.number(),
  outcome_unknown: z.boolean(),
  not_before: exactTime,
  trace_id: z.string(),
  message_id: z.string(),
  channel: ClaimedChannel,
  /** Null when no media are sent. */
  payload: object.nullable(),
  rendered_text: z.string(),
  render_meta: object,
  media: z.record(z.string(), object).nullable(),
});

const inOurNames = (row: z.output<typeof claimed>) => ({
  deliveryId: row.delivery_id,
  claimToken: row.claim_token,
  leaseMs: row.lease_ms,
  attempt: row.attempt,
  outcomeUnknown: row.outcome_unknown,
  notBefore: row.not_before,
  traceId: row.trace_id,
  messageId: row.message_id,
  channel: row.channel,
  payload: row.payload,
  renderedText: row.rendered_text,
  renderMeta: row.render_meta,
  media: row.media,
});

/** A claimed delivery in JSON: from the answer to a push, or from another sender that claimed it. */
export const ClaimedInJson = claimed.transform(inOurNames);

const { channel, payload, render_meta, media } = claimed.shape;
const ClaimedDelivery = claimed
  .extend({
    lease_ms: int8,
    channel: repeatedJson(channel),
    payload: repeatedJson(payload.unwrap()).nullable(),
    render_meta: repeatedJson(render_meta),
    media: repeatedJson(media.unwrap()).nullable(),
  })
  .transform(inOurNames);

/** All that a send needs; no second query follows. */
export type ClaimedDelivery = z.output<typeof ClaimedDelivery>;

export interface ClaimRequest {
  readonly workspaceId: string;
  readonly runId: string;
  readonly limit: number;
  /** How long the claim lasts unless it is extended, as PostgreSQL writes an interval; the workspace's when missing. */
  readonly lease?: string | undefined;
}

/** Hands the next deliveries of a workspace to this sender. */
export async function claimDeliveries(
  client: Queryable,
  request: ClaimRequest,
  now?: string,
): Promise<ClaimedDelivery[]> {
  return callFunction(client, {
    name: 'claim_deliveries',
    args: at(now, [request.workspaceId, request.runId, request.limit, request.lease ?? null]),
    row: ClaimedDelivery,
    types: jsonAsText,
  });
}

const ExtendedLease = z
  .object({ claim_token: z.string(), lease_ms: int8 })
  .transform((row) => ({ claimToken: row.claim_token, leaseMs: row.lease_ms }));

/** Keeps claims alive while their sends go on; a token that is not in the answer has lost its lease. */
export async function extendLeases(
  client: Queryable,
  workspaceId: string,
  claimTokens: readonly string[],
  now?: string,
): Promise<z.output<typeof ExtendedLease>[]> {
  return callFunction(client, {
    name: 'extend_leases',
    args: at(now, [workspaceId, claimTokens]),
    row: ExtendedLease,
  });
}

/**
 * For a delivery that another process has claimed: the length of its lease, now extended; null when it is not held under
 * the token.
 */
export async function holdDelivery(
  client: Queryable,
  delivery: { workspaceId: string; deliveryId: string; claimToken: string },
  now?: string,
): Promise<number | null> {
  const { workspaceId, deliveryId, claimToken } = delivery;
  return callForValue(client, {
    name: 'hold_delivery',
    args: at(now, [workspaceId, deliveryId, claimToken]),
    row: int8.nullable(),
  });
}

const ReleasedClaim = z.object({ delivery_id: z.string() }).transform((row) => row.delivery_id);

/** Gives deliveries back unsent; answers with those that were still held under the token. */
export async function releaseClaims(
  client: Queryable,
  claim: { workspaceId: string; claimToken: string; deliveryIds: readonly string[] },
  now?: string,
): Promise<string[]> {
  return callFunction(client, {
    name: 'release_claims',
    args: at(now, [claim.workspaceId, claim.claimToken, claim.deliveryIds]),
    row: ReleasedClaim,
  });
}

/** A part of a post that the provider has acknowledged. */
export interface AcknowledgedPart {
  readonly item: number;
  readonly providerMessageId: string;
}

/** Records acknowledged parts at once; false when the claim is stale. */
export async function saveProgress(
  client: Queryable,
  delivery: { workspaceId: string; deliveryId: string; claimToken: string },
  parts: readonly AcknowledgedPart[],
  now?: string,
): Promise<boolean> {
  const { workspaceId, deliveryId, claimToken } = delivery;
  return callForValue(client, {
    name: 'save_progress',
    args: at(now, [workspaceId, deliveryId, claimToken, json(parts.map(partAsJson))]),
    row: z.boolean(),
  });
}

const TakenCall = z
  .object({
    channel_slot: exactTime.nullable(),
    group_slot: exactTime.nullable(),
    wait_ms: z.number(),
  })
  .transform((row) => ({
    slots: { channelSlot: row.channel_slot, groupSlot: row.group_slot },
    waitMs: row.wait_ms,
  }));

export interface CallRequest {
  readonly workspaceId: string;
  readonly deliveryId: string;
  readonly claimToken: string;
  /** How many messages the call shows in the chat, as the platform counts them. */
  readonly messages: number;
  /** Those of the last answer; none when the call is asked for the first time. */
  readonly slots?: z.output<typeof TakenCall>['slots'] | undefined;
}

/**
 * Takes the slots of one more call of a send. The call may be made when the wait is 0; until then, wait and ask again
 * with the slots. Undefined when the claim is stale.
 */
export async function takeCall(
  client: Queryable,
  request: CallRequest,
  now?: string,
): Promise<z.output<typeof TakenCall> | undefined> {
  const { workspaceId, deliveryId, claimToken, messages } = request;
  const { channelSlot = null, groupSlot = null } = request.slots ?? {};
  const args = [workspaceId, deliveryId, claimToken, messages, channelSlot, groupSlot];
  const [taken] = await callFunction(client, {
    name: 'take_call',
    args: at(now, args),
    row: TakenCall,
  });
  return taken;
}

export function partAsJson(part: AcknowledgedPart): { item: number; provider_message_id: string } {
  return { item: part.item, provider_message_id: part.providerMessageId };
}

const GroupSlot = z
  .object({
    slot: exactTime.nullable(),
    wait_ms: z.number().nullable(),
    // Infinity: until somebody gives the credential another secret.
    shut_until: z.union([z.literal('infinity'), time]).nullable(),
  })
  .transform((row) => ({ slot: row.slot, waitMs: row.wait_ms, shutUntil: row.shut_until }));

/** A slot of a rate group: how long to wait for it, or until when the group is shut. */
export type GroupSlot = z.output<typeof GroupSlot>;

/** Takes a slot for a call that belongs to no delivery. */
export async function takeGroupSlot(
  client: Queryable,
  group: { readonly workspaceId: string; readonly platform: string; readonly rateGroup: string },
  now?: string,
): Promise<GroupSlot> {
  return callForRow(client, {
    name: 'take_group_slot',
    args: at(now, [group.workspaceId, group.platform, group.rateGroup]),
    row: GroupSlot,
  });
}
