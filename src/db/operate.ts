// What operators do by hand. Every order leaves an event that says who gave it and why.

import { z } from 'zod';
import { at, callFunction } from './call.ts';
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

/** Sends dead and failed deliveries again; each refusal comes with its reason. */
export async function requeueDeliveries(
  client: Queryable,
  request: Order & { readonly deliveryIds: readonly string[] },
  now?: string,
): Promise<Requeued[]> {
  const { workspaceId, deliveryIds, dryRun, operator, reason } = request;
  return callFunction(client, {
    name: 'requeue_deliveries',
    args: at(now, [workspaceId, deliveryIds, dryRun ?? false, operator, reason]),
    row: Requeued,
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
