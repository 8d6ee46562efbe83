// Records what became of replies.

import { commitBotReplies, type ReplyOutcome, type ReplyVerdict } from '../db/bot.ts';
import type { Queryable } from '../db/pool.ts';
import { type GatheredCommits, gatherCommits } from '../gathered-commits.ts';
import type { Log } from '../log.ts';

export type ReplyCommits = GatheredCommits<ReplyOutcome, ReplyVerdict>;

export function createReplyCommits(client: Queryable, log: Log): ReplyCommits {
  return gatherCommits<ReplyOutcome, ReplyVerdict>(
    {
      record: (workspaceId, outcomes) => commitBotReplies(client, workspaceId, outcomes),
      withoutDetails,
      idOf: ({ replyId }) => replyId,
      idName: 'reply_id',
    },
    { log, batch: 500 },
  );
}

function withoutDetails(outcome: ReplyOutcome): ReplyOutcome | undefined {
  if (outcome.ok) return undefined;
  const { message, raw, ...error } = outcome.error;
  if (message === undefined && raw === undefined) return undefined;
  return { ...outcome, error };
}
