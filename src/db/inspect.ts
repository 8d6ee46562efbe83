// What there is, what waits and what became of it. Nothing here changes anything.

import { at, callForValue, callFunction } from './call.ts';
import {
  type DeliveryStatus,
  ListedChannel,
  ListedCredential,
  ListedDelivery,
  ShownDelivery,
  ShownWorkspace,
  Workspace,
} from './inspect-rows.ts';
import type { Queryable } from './pool.ts';

export type * from './inspect-rows.ts';

/** Every workspace of this database. */
export async function listWorkspaces(client: Queryable): Promise<Workspace[]> {
  return callFunction(client, { name: 'list_workspaces', args: [], row: Workspace });
}

/** The channels of a workspace and how each does; a `stateUntil` of null is for a person to change. */
export async function listChannels(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<ListedChannel[]> {
  return callFunction(client, {
    name: 'list_channels',
    args: at(now, [workspaceId]),
    row: ListedChannel,
  });
}

/** The credentials of a workspace; a `secretRef` of null: channels name it, and nothing is bound to it. */
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

export interface DeliveryFilter {
  readonly workspaceId: string;
  readonly status?: DeliveryStatus | undefined;
  readonly channelId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly limit: number;
  /** The last delivery of the page before. */
  readonly before?: string | undefined;
}

/** Deliveries, newest first; failed ones by their failure, the latest first. */
export async function listDeliveries(
  client: Queryable,
  filter: DeliveryFilter,
): Promise<ListedDelivery[]> {
  const { workspaceId, status, channelId, messageId, limit, before } = filter;
  return callFunction(client, {
    name: 'list_deliveries',
    args: [
      workspaceId,
      status ?? null,
      channelId ?? null,
      messageId ?? null,
      limit,
      before ?? null,
    ],
    row: ListedDelivery,
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

/** How a workspace does: what waits, what is being sent, what happened in the last hour. */
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
