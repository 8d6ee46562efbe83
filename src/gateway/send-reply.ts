// POST /v1/bot/send: sends one claimed reply of a bot and answers with its outcome, which the caller commits.

import { sendError } from '../adapters/answer.ts';
import { createReplyLeases } from '../bot/reply-leases.ts';
import type { SendReply } from '../bot/send-reply.ts';
import { unbroken } from '../bot/unbroken.ts';
import type { Clock } from '../clock.ts';
import {
  type ClaimedReply,
  extendBotReplies,
  type ReplyOutcome,
  replyOutcomeAsJson,
} from '../db/bot.ts';
import type { Queryable } from '../db/pool.ts';
import type { Answer } from '../http/answer.ts';
import type { Log } from '../log.ts';
import type { Caller } from './deliver.ts';
import { claimOf, createSends, type IsWanted } from './sends.ts';
import { whileWanted } from './wanted.ts';

export interface ReplyingOptions {
  /** For leases alone: to extend one must not wait behind other queries. */
  readonly client: Queryable;
  readonly sendReply: SendReply;
  readonly log: Log;
  readonly clock: Clock;
}

export interface Replying {
  send(reply: ClaimedReply, caller: Caller): Promise<Answer>;
  stop(): void;
}

export function createReplying(options: ReplyingOptions): Replying {
  const { client, log, clock } = options;
  const sendReply = unbroken(options.sendReply, log);
  const leases = createReplyLeases(client, log, clock);
  const sends = createSends<ReplyOutcome>({
    clock,
    mayHaveSent: (outcome) => outcome.ok || outcome.error.outcome !== 'not_sent',
  });

  async function holdAndSend(
    reply: ClaimedReply,
    { isWanted, halted }: { readonly isWanted: IsWanted; readonly halted: AbortSignal },
  ): Promise<ReplyOutcome> {
    const { workspaceId, replyId, claimToken } = reply;
    const askedAt = clock.now();
    const request = { workspaceId, replyIds: [replyId], claimToken };
    const [extended] = await extendBotReplies(client, request);
    if (extended === undefined) {
      const error = sendError('lease_over', 'the reply is not held under this claim token');
      return { replyId, claimToken, ok: false, error };
    }
    if (!isWanted()) {
      return { replyId, claimToken, ok: false, error: sendError('aborted', 'the caller has gone') };
    }
    const held = leases.hold({ ...reply, leaseMs: extended.leaseMs }, askedAt);
    const breakOff = (): void => held.breakOff.abort();
    halted.addEventListener('abort', breakOff, { once: true });
    // The server may have halted while the lease was extended.
    if (halted.aborted) breakOff();
    try {
      return await sendReply(reply, {
        breakOff: held.breakOff,
        holds: whileWanted(held.holds, isWanted),
      });
    } finally {
      halted.removeEventListener('abort', breakOff);
      held.letGo();
    }
  }

  return {
    async send(reply, { gone, halted }) {
      const claim = claimOf(reply.workspaceId, reply.replyId, reply.claimToken);
      const outcome = await sends.send(claim, gone, (isWanted) =>
        holdAndSend(reply, { isWanted, halted }),
      );
      const facts = {
        workspace_id: reply.workspaceId,
        platform: reply.platform,
        reply_id: reply.replyId,
        trace_id: reply.traceId,
        attempt: reply.attempt,
        ok: outcome.ok,
        ...(outcome.ok ? {} : { code: outcome.error.code, error: outcome.error.message }),
      };
      return { status: 200, body: replyOutcomeAsJson(outcome), facts };
    },
    stop: () => leases.stop(),
  };
}
