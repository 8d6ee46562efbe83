// What the doctor has to know and only the owner of the functions can see.

import { z } from 'zod';
import { at, callForValue } from './call.ts';
import { timeInJson } from './columns.ts';
import type { Queryable } from './pool.ts';

const Service = z.object({
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  roles: z.array(z.string()),
  seen_at: timeInJson,
  ready: z.boolean(),
  store_refuses: z.string().nullable(),
});

const ExaminedInstallation = z.object({
  now: timeInJson,
  missing_days: z.array(z.string()),
  stray_events: z.number(),
  sequences: z.array(z.object({ name: z.string(), used: z.number() })),
  services: z.array(Service),
  oldest_transaction: z.object({
    is_known: z.boolean(),
    since: timeInJson.nullable(),
    pid: z.number().nullable(),
    login: z.string().nullable(),
    application: z.string().nullable(),
  }),
  unpublished_since: timeInJson.nullable(),
});

/** Named as in the schema. */
export type ExaminedInstallation = z.output<typeof ExaminedInstallation>;

export async function examineInstallation(
  client: Queryable,
  now?: string,
): Promise<ExaminedInstallation> {
  return callForValue(client, {
    name: 'examine_installation',
    args: at(now, []),
    row: ExaminedInstallation,
  });
}

const ExaminedWorkspace = z.object({
  channels: z.array(
    z.object({
      channel_id: z.string(),
      settings: z.record(z.string(), z.unknown()),
      template_fault: z.string().nullable(),
      never_opens: z.boolean(),
    }),
  ),
  template_faults: z.array(
    z.object({ template_id: z.string(), version: z.number(), fault: z.string() }),
  ),
  endpoints: z.array(
    z.object({
      endpoint_id: z.string(),
      kind: z.enum(['webhook_push', 'bot_webhook']),
      signing_secret_ref: z.string().nullable(),
      auth_ref: z.string().nullable(),
      secret_ref: z.string().nullable(),
      platform: z.string().nullable(),
    }),
  ),
});

/** Named as in the schema. */
export type ExaminedWorkspace = z.output<typeof ExaminedWorkspace>;

export async function examineWorkspace(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<ExaminedWorkspace> {
  return callForValue(client, {
    name: 'examine_workspace',
    args: at(now, [workspaceId]),
    row: ExaminedWorkspace,
  });
}
