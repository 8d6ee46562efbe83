// Gives every sending of a reply an outcome. No adapter throws; if one does, nobody knows how far it came.

import { sendError } from '../adapters/answer.ts';
import type { Log } from '../log.ts';
import type { SendReply } from './send-reply.ts';

export function unbroken(sendReply: SendReply, log: Log): SendReply {
  return async (reply, held) => {
    try {
      return await sendReply(reply, held);
    } catch (error) {
      const { workspaceId, replyId, claimToken } = reply;
      const facts = { workspace_id: workspaceId, reply_id: replyId, error: String(error) };
      log.error('the sending of a reply broke', facts);
      const message = 'the send broke inside Outrider; its log says how';
      return { replyId, claimToken, ok: false, error: sendError('outcome_unknown', message) };
    }
  };
}
