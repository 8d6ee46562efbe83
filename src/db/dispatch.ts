// Says which workspaces have work and when there will be more, and wakes dispatchers.

import { z } from 'zod';
import { at, callForValue, callFunction } from './call.ts';
import { time, workspaceRow } from './columns.ts';
import type { Queryable } from './pool.ts';

/** The workspaces to claim from next, in a round that all dispatchers of that name share. */
export async function nextWorkspaces(
  client: Queryable,
  dispatcher: string,
  limit: number,
  now?: string,
): Promise<string[]> {
  return callFunction(client, {
    name: 'next_workspaces',
    args: at(now, [dispatcher, limit]),
    row: workspaceRow,
  });
}

/** When the next delivery of any workspace will be due; null when nothing waits for a time. */
export async function nextDueAt(client: Queryable, now?: string): Promise<Date | null> {
  return callForValue(client, {
    name: 'next_due_at',
    args: at(now, []),
    row: time.nullable(),
  });
}

/** For how many seconds a delivery has been due that nothing but a sender is missing for; null when there is none. */
export async function dispatchLag(client: Queryable, now?: string): Promise<number | null> {
  return callForValue(client, {
    name: 'dispatch_lag',
    args: at(now, []),
    row: z.number().nullable(),
  });
}

/** Wakes the dispatchers of all processes. */
export async function wakeDispatchers(client: Queryable): Promise<void> {
  await callForValue(client, { name: 'wake_dispatchers', args: [], row: z.literal('') });
}
