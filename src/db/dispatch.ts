// Says which workspaces have work and when there will be more, and wakes dispatchers.

import { z } from 'zod';
import { at, callForRow, callForValue, callFunction } from './call.ts';
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

/** The same of one workspace. */
export async function nextDueIn(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<Date | null> {
  return callForValue(client, {
    name: 'next_due_in',
    args: at(now, [workspaceId]),
    row: time.nullable(),
  });
}

const Lag = z
  .object({
    workspace_id: z.string().nullable(),
    seconds: z.number().nullable(),
    holders: z.array(z.string()),
  })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    seconds: row.seconds,
    /** Transactions that may hold rows which senders need: the process of PostgreSQL, a blank, and the transaction. */
    holders: row.holders,
  }));

export type DispatchLag = z.output<typeof Lag>;

/** For how long a delivery has been due that nothing but a sender is missing for; null when there is none. */
export async function dispatchLag(client: Queryable, now?: string): Promise<DispatchLag> {
  return callForRow(client, { name: 'dispatch_lag', args: at(now, []), row: Lag });
}

/** Wakes the dispatchers of all processes. */
export async function wakeDispatchers(client: Queryable): Promise<void> {
  await callForValue(client, { name: 'wake_dispatchers', args: [], row: z.literal('') });
}
