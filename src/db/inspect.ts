// Lists and shows workspaces, channels, credentials, rate groups, deliveries, messages and events. Nothing here changes anything.

import { ShownActivity } from './activity-rows.ts';
import { at, callForValue, callFunction } from './call.ts';
import {
  type ChannelState,
  ListedChannel,
  ListedCredential,
  ListedRateGroup,
} from './channel-rows.ts';
import {
  type DeliveryStatus,
  FoundDelivery,
  FoundMessage,
  ListedDelivery,
  RecordedEvent,
  ShownDelivery,
} from './delivery-rows.ts';
import type { Queryable } from './pool.ts';
import { ShownWorkspace, Workspace } from './workspace-rows.ts';

export type * from './activity-rows.ts';
export type * from './channel-rows.ts';
export type * from './delivery-rows.ts';
export type * from './workspace-rows.ts';

/** Every workspace of this database. */
export async function listWorkspaces(client: Queryable): Promise<Workspace[]> {
  return callFunction(client, { name: 'list_workspaces', args: [], row: Workspace });
}

export interface ChannelFilter {
  readonly workspaceId: string;
  /** In an id * stands for any characters and ? for one. */
  readonly channelIds?: readonly string[] | undefined;
  readonly platform?: string | undefined;
  readonly authRef?: string | undefined;
  readonly rateGroup?: string | undefined;
  readonly state?: ChannelState | undefined;
}

/**
 * The channels of a workspace, those that do not send first. A state other than open that has no `stateUntil` lasts
 * until a person acts.
 */
export async function listChannels(
  client: Queryable,
  filter: ChannelFilter,
  now?: string,
): Promise<ListedChannel[]> {
  const { workspaceId, channelIds, platform, authRef, rateGroup, state } = filter;
  return callFunction(client, {
    name: 'list_channels',
    args: at(now, [
      workspaceId,
      channelIds ?? null,
      platform ?? null,
      authRef ?? null,
      rateGroup ?? null,
      state ?? null,
    ]),
    row: ListedChannel,
  });
}

/** The credentials of a workspace; `secretRef` is null for one that channels name and nothing is bound to. */
export async function listCredentials(
  client: Queryable,
  workspaceId: string,
): Promise<ListedCredential[]> {
  return callFunction(client, {
    name: 'list_credentials',
    args: [workspaceId],
    row: ListedCredential,
  });
}

/** The rate groups of a workspace, those that do not send first. */
export async function listRateGroups(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<ListedRateGroup[]> {
  return callFunction(client, {
    name: 'list_rate_groups',
    args: at(now, [workspaceId]),
    row: ListedRateGroup,
  });
}

export interface EventFilter {
  readonly workspaceId: string;
  readonly deliveryId?: string | undefined;
  readonly messageId?: string | undefined;
  /** In an id * stands for any characters and ? for one. */
  readonly channelIds?: readonly string[] | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly result?: 'ok' | 'error' | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
}

/** What happened in a workspace, the latest first. */
export async function listEvents(
  client: Queryable,
  filter: EventFilter,
  now?: string,
): Promise<RecordedEvent[]> {
  const { workspaceId, deliveryId, messageId, channelIds, actions, result } = filter;
  return callFunction(client, {
    name: 'list_events',
    args: at(now, [
      workspaceId,
      deliveryId ?? null,
      messageId ?? null,
      channelIds ?? null,
      actions ?? null,
      result ?? null,
      filter.since ?? null,
      filter.until ?? null,
      filter.limit,
    ]),
    row: RecordedEvent,
  });
}

export interface DeliveryFilter {
  readonly workspaceId: string;
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  /** In an id * stands for any characters and ? for one. */
  readonly channelIds?: readonly string[] | undefined;
  readonly messageId?: string | undefined;
  /** ISO 8601. When deliveries failed, if only failures are asked for; else when they were accepted. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
  /** The last delivery of the page before. */
  readonly before?: string | undefined;
}

/** Deliveries and what each waits for, newest first; failed ones by their failure, the latest first. */
export async function listDeliveries(
  client: Queryable,
  filter: DeliveryFilter,
  now?: string,
): Promise<ListedDelivery[]> {
  const { workspaceId, statuses, channelIds, messageId, since, until, limit, before } = filter;
  return callFunction(client, {
    name: 'list_deliveries',
    args: at(now, [
      workspaceId,
      statuses ?? null,
      channelIds ?? null,
      messageId ?? null,
      since ?? null,
      until ?? null,
      limit,
      before ?? null,
    ]),
    row: ListedDelivery,
  });
}

/** Deliveries whose ids begin or end with some digits, the newest first, at most 10. */
export async function findDeliveries(
  client: Queryable,
  workspaceId: string,
  part: string,
): Promise<FoundDelivery[]> {
  return callFunction(client, {
    name: 'find_deliveries',
    args: [workspaceId, part],
    row: FoundDelivery,
  });
}

/** Messages whose ids begin with some digits, the newest first, at most 10. */
export async function findMessages(
  client: Queryable,
  workspaceId: string,
  part: string,
): Promise<FoundMessage[]> {
  return callFunction(client, {
    name: 'find_messages',
    args: [workspaceId, part],
    row: FoundMessage,
  });
}

/** All about one delivery, with its timeline and what comes next. */
export async function showDelivery(
  client: Queryable,
  workspaceId: string,
  deliveryId: string,
  now?: string,
): Promise<ShownDelivery> {
  return callForValue(client, {
    name: 'show_delivery',
    args: at(now, [workspaceId, deliveryId]),
    row: ShownDelivery,
  });
}

/** How a workspace is doing: what waits, what is being sent, what happened in the last hour. */
export async function showWorkspace(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<ShownWorkspace> {
  return callForValue(client, {
    name: 'show_workspace',
    args: at(now, [workspaceId]),
    row: ShownWorkspace,
  });
}

export interface ActivityFilter {
  readonly workspaceId: string;
  /** In an id * stands for any characters and ? for one. */
  readonly channelIds?: readonly string[] | undefined;
  readonly platform?: string | undefined;
  /** Of each list. */
  readonly limit: number;
}

/** What goes on in a workspace now; cheap enough to be asked every few seconds. */
export async function showActivity(
  client: Queryable,
  filter: ActivityFilter,
  now?: string,
): Promise<ShownActivity> {
  const { workspaceId, channelIds = null, platform = null, limit } = filter;
  return callForValue(client, {
    name: 'show_activity',
    args: at(now, [workspaceId, channelIds, platform, limit]),
    row: ShownActivity,
  });
}
