// What the inspecting functions answer about workspaces. Rows of lists get TypeScript's names; the document about one
// workspace keeps the schema's, since it is printed as it is.

import { z } from 'zod';
import { channelState, groupStates } from './channel-rows.ts';
import { timeInJson } from './columns.ts';

export const workspaceState = z.enum(['active', 'paused', 'disabled']);

export const Workspace = z
  .object({ workspace_id: z.string(), name: z.string(), status: workspaceState })
  .transform((row) => ({ workspaceId: row.workspace_id, name: row.name, status: row.status }));

export type Workspace = z.output<typeof Workspace>;

const count = z.number();

export const ShownWorkspace = z.object({
  workspace_id: z.string(),
  name: z.string(),
  status: workspaceState,
  now: timeInJson,
  waiting: z.object({ due: count, scheduled: count, retrying: count, claimed: count }),
  oldest_due: z
    .object({ delivery_id: z.string(), channel_id: z.string(), due_since: timeInJson })
    .nullable(),
  next_send_at: timeInJson.nullable(),
  sending: z.object({ open: count, expiring: count, expired: count }),
  channels: z.record(channelState, count),
  /** Rate groups that send nothing, or only a probe. */
  groups: z.array(
    z.object({
      platform: z.string(),
      rate_group: z.string(),
      state: z.enum(groupStates),
      since: timeInJson.nullable(),
      until: timeInJson.nullable(),
      reason: z.string().nullable(),
      channels: count,
    }),
  ),
  last_hour: z.object({
    sent: count,
    retried: count,
    failed: count,
    dead: count,
    deduped: count,
    refused: count,
    repeated: count,
  }),
  last_errors: z.array(
    z.object({
      code: z.string(),
      count,
      last_at: timeInJson,
      channel_id: z.string().nullable(),
      message: z.string().nullable(),
    }),
  ),
  /** Open alerts, alert targets that messages do not reach, and whether the monitor evaluates the alerts. */
  alerts: z.object({ open: count, critical: count, undelivered: count, evaluated: z.boolean() }),
  /** Counts that were cut short: there may be more. */
  at_least: z.array(z.string()),
});

export type ShownWorkspace = z.output<typeof ShownWorkspace>;
