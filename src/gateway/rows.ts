// The rows that the gateway takes, as functions of the database give them.

import { z } from 'zod';
import { ClaimedReply } from '../db/bot-rows.ts';
import { ClaimedInJson } from '../db/claim.ts';
import { ClaimedNotification } from '../db/monitor-rows.ts';
import { ClaimedSource } from '../db/pull.ts';

const OfWorkspace = z.object({ workspace_id: z.string() });

/** A row of claim_deliveries, with the workspace that it was claimed for beside it. */
export const DeliverRequest = z
  .intersection(
    OfWorkspace.transform((row) => ({ workspaceId: row.workspace_id })),
    ClaimedInJson,
  )
  .meta({ description: 'A row of claim_deliveries, with its workspace_id.' });

export const ReplyRequest = ClaimedReply.meta({ description: 'A row of claim_bot_replies.' });

export const TellRequest = ClaimedNotification.meta({
  description: 'A row of claim_notifications.',
});

export const PullRequest = ClaimedSource.meta({ description: 'A row of claim_pull_source.' });

export const ImportRequest = OfWorkspace.extend({
  payload: z.record(z.string(), z.unknown()).meta({ description: 'A post.' }),
})
  .transform((row) => ({ workspaceId: row.workspace_id, payload: row.payload }))
  .meta({ description: 'A post whose media are to be copied.' });
