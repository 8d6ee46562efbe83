// What operators do by hand. Every order leaves an event that says who gave it and why.

import { z } from 'zod';
import { at, callFunction } from './call.ts';
import { time } from './columns.ts';
import type { Queryable } from './pool.ts';

/** Who gives the order and why, for the record; a dry run only says what it would do. */
export interface Order {
  readonly workspaceId: string;
  readonly dryRun?: boolean;
  readonly operator: string;
  readonly reason: string;
}

const Requeued = z
  .object({ delivery_id: z.string(), requeued: z.boolean(), note: z.string().nullable() })
  .transform((row) => ({ deliveryId: row.delivery_id, requeued: row.requeued, note: row.note }));

export type Requeued = z.output<typeof Requeued>;

export interface RequeueOrder extends Order {
  readonly deliveryIds: readonly string[];
  /** They become due one after the other within this time, such as `600 seconds`; at once when missing. */
  readonly over?: string | undefined;
}

/** Sends dead and failed deliveries again; each refusal comes with its reason. */
export async function requeueDeliveries(
  client: Queryable,
  request: RequeueOrder,
  now?: string,
): Promise<Requeued[]> {
  const { workspaceId, deliveryIds, over, dryRun, operator, reason } = request;
  return callFunction(client, {
    name: 'requeue_deliveries',
    args: at(now, [workspaceId, deliveryIds, dryRun ?? false, operator, reason, over ?? null]),
    row: Requeued,
  });
}

const Resolved = z
  .object({ delivery_id: z.string(), resolved: z.boolean(), note: z.string().nullable() })
  .transform((row) => ({ deliveryId: row.delivery_id, resolved: row.resolved, note: row.note }));

export type Resolved = z.output<typeof Resolved>;

export interface ResolveOrder extends Order {
  readonly deliveryIds: readonly string[];
  /** The platform's id of each, in the same order. */
  readonly providerMessageIds: readonly string[];
}

/** Records that deliveries have arrived of which nobody knew it: somebody has found them in the chat. */
export async function resolveDeliveries(
  client: Queryable,
  request: ResolveOrder,
  now?: string,
): Promise<Resolved[]> {
  const { workspaceId, deliveryIds, providerMessageIds, dryRun, operator, reason } = request;
  return callFunction(client, {
    name: 'resolve_deliveries',
    args: at(now, [
      workspaceId,
      deliveryIds,
      providerMessageIds,
      dryRun ?? false,
      operator,
      reason,
    ]),
    row: Resolved,
  });
}

const Released = z
  .object({
    delivery_id: z.string(),
    channel_id: z.string(),
    was: z.enum(['claimed', 'sending']),
    since: time,
    became: z.enum(['queued', 'retry', 'dead']),
  })
  .transform((row) => ({
    deliveryId: row.delivery_id,
    channelId: row.channel_id,
    was: row.was,
    since: row.since,
    became: row.became,
  }));

/** What a delivery was that nobody got on with, since when, and what it became. */
export type Released = z.output<typeof Released>;

/** Gives back what has been held for longer than a time, such as `10 minutes`, whoever holds it. */
export async function releaseStale(
  client: Queryable,
  request: Order & { readonly olderThan: string },
  now?: string,
): Promise<Released[]> {
  const { workspaceId, olderThan, dryRun, operator, reason } = request;
  return callFunction(client, {
    name: 'release_stale',
    args: at(now, [workspaceId, olderThan, dryRun ?? false, operator, reason]),
    row: Released,
  });
}

const OrderedChannel = z
  .object({ channel_id: z.string(), changed: z.boolean(), note: z.string().nullable() })
  .transform((row) => ({ channelId: row.channel_id, changed: row.changed, note: row.note }));

/** Whether the order changed a channel; if not, why not. */
export type OrderedChannel = z.output<typeof OrderedChannel>;

export interface ChannelOrder extends Order {
  readonly channelIds: readonly string[];
}

/** Keeps channels from sending until a time (ISO 8601), or until they are resumed. */
export async function pauseChannels(
  client: Queryable,
  request: ChannelOrder & { readonly until?: string | undefined },
  now?: string,
): Promise<OrderedChannel[]> {
  const { workspaceId, channelIds, until, dryRun, operator, reason } = request;
  return callFunction(client, {
    name: 'pause_channels',
    args: at(now, [workspaceId, channelIds, until ?? null, dryRun ?? false, operator, reason]),
    row: OrderedChannel,
  });
}

/** Ends pauses, and sets the count of errors in a row to zero. */
export async function resumeChannels(
  client: Queryable,
  request: ChannelOrder,
  now?: string,
): Promise<OrderedChannel[]> {
  return callFunction(client, {
    name: 'resume_channels',
    args: at(now, channelArguments(request)),
    row: OrderedChannel,
  });
}

/** Lets disabled channels send again: ends their pauses, too, and sets the count of errors in a row to zero. */
export async function enableChannels(
  client: Queryable,
  request: ChannelOrder,
  now?: string,
): Promise<OrderedChannel[]> {
  return callFunction(client, {
    name: 'enable_channels',
    args: at(now, channelArguments(request)),
    row: OrderedChannel,
  });
}

/** Takes channels out of service until they are enabled. */
export async function disableChannels(
  client: Queryable,
  request: ChannelOrder,
  now?: string,
): Promise<OrderedChannel[]> {
  return callFunction(client, {
    name: 'disable_channels',
    args: at(now, channelArguments(request)),
    row: OrderedChannel,
  });
}

function channelArguments(request: ChannelOrder): readonly unknown[] {
  const { workspaceId, channelIds, dryRun, operator, reason } = request;
  return [workspaceId, channelIds, dryRun ?? false, operator, reason];
}

export interface GroupOrder extends Order {
  readonly platform: string;
  readonly rateGroup: string;
}

/** Takes the channels of a rate group out of service until they are enabled. */
export async function disableRateGroup(
  client: Queryable,
  request: GroupOrder,
  now?: string,
): Promise<OrderedChannel[]> {
  return callFunction(client, {
    name: 'disable_rate_group',
    args: at(now, groupArguments(request)),
    row: OrderedChannel,
  });
}

/** Lets the channels of a rate group send again, without pauses and without errors in a row. */
export async function enableRateGroup(
  client: Queryable,
  request: GroupOrder,
  now?: string,
): Promise<OrderedChannel[]> {
  return callFunction(client, {
    name: 'enable_rate_group',
    args: at(now, groupArguments(request)),
    row: OrderedChannel,
  });
}

function groupArguments(request: GroupOrder): readonly unknown[] {
  const { workspaceId, platform, rateGroup, dryRun, operator, reason } = request;
  return [workspaceId, platform, rateGroup, dryRun ?? false, operator, reason];
}

const RotatedChannel = z
  .object({
    channel_id: z.string(),
    rotated: z.boolean(),
    note: z.string().nullable(),
    sending: z.number(),
    sending_until: time.nullable(),
  })
  .transform((row) => ({
    channelId: row.channel_id,
    rotated: row.rotated,
    note: row.note,
    sending: row.sending,
    sendingUntil: row.sending_until,
  }));

/** Whether a channel has the new credential; if not, why not, and how much of it is being sent. */
export type RotatedChannel = z.output<typeof RotatedChannel>;

export interface RotateOrder extends ChannelOrder {
  /** The credential that they get; it is bound to its secret already. */
  readonly authRef: string;
  readonly rateGroup?: string | undefined;
  /** Also while something of them is being sent. */
  readonly force?: boolean | undefined;
}

/** Gives channels another credential, all together, once nothing of them is being sent; until then they begin nothing. */
export async function rotateAuth(
  client: Queryable,
  request: RotateOrder,
  now?: string,
): Promise<RotatedChannel[]> {
  const { workspaceId, channelIds, authRef, rateGroup, force, dryRun, operator, reason } = request;
  return callFunction(client, {
    name: 'rotate_auth',
    args: at(now, [
      workspaceId,
      channelIds,
      authRef,
      rateGroup ?? null,
      force ?? false,
      dryRun ?? false,
      operator,
      reason,
    ]),
    row: RotatedChannel,
  });
}

const OpenedGroup = z
  .object({ platform: z.string(), rate_group: z.string() })
  .transform((row) => ({ platform: row.platform, rateGroup: row.rate_group }));

export type OpenedGroup = z.output<typeof OpenedGroup>;

/** Opens the rate groups that were closed because a platform refused the credential; its token has been replaced. */
export async function reopenCredential(
  client: Queryable,
  request: { workspaceId: string; authRef: string; operator: string; reason: string },
  now?: string,
): Promise<OpenedGroup[]> {
  const { workspaceId, authRef, operator, reason } = request;
  return callFunction(client, {
    name: 'reopen_credential',
    args: at(now, [workspaceId, authRef, operator, reason]),
    row: OpenedGroup,
  });
}
