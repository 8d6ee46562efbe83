// Brings the configuration of a workspace to what a document says, and follows a chat that has moved.

import { z } from 'zod';
import { at, callForValue, json } from './call.ts';
import type { Queryable } from './pool.ts';

const Change = z.object({
  kind: z.enum([
    'workspace',
    'settings',
    'endpoint',
    'credential',
    'rate_group',
    'template',
    'channel',
    'pull_source',
    'alert_target',
    'bot_rule',
  ]),
  id: z.string(),
  action: z.enum(['add', 'change', 'remove', 'keep']),
  fields: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
  /** Why something was left or only disabled. */
  note: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});

/** What an apply does, or would do, to one thing; named as in the schema. */
export type Change = z.output<typeof Change>;

/** Applies one document; a dry run answers the same and keeps nothing. */
export async function applyWorkspace(
  client: Queryable,
  request: { document: unknown; prune: boolean; dryRun: boolean },
  now?: string,
): Promise<Change[]> {
  return callForValue(client, {
    name: 'apply_workspace',
    args: at(now, [json(request.document), request.prune, request.dryRun]),
    row: z.array(Change),
  });
}

/** Follows a chat that its platform has moved; false when this channel, or another, has the new target already. */
export async function moveChannel(
  client: Queryable,
  channel: { workspaceId: string; channelId: string; targetId: string },
  now?: string,
): Promise<boolean> {
  return callForValue(client, {
    name: 'move_channel',
    args: at(now, [channel.workspaceId, channel.channelId, channel.targetId]),
    row: z.boolean(),
  });
}
