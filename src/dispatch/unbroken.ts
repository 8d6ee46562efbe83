// A send that always has an outcome. No adapter throws; if one does, nobody knows how far it came.

import { sendError } from '../adapters/answer.ts';
import type { Log } from '../log.ts';
import type { Deliver } from './deliver.ts';

export function unbroken(deliver: Deliver, log: Log): Deliver {
  return async (workspaceId, delivery, lease) => {
    try {
      return await deliver(workspaceId, delivery, lease);
    } catch (error) {
      const { deliveryId, claimToken } = delivery;
      const facts = { workspace_id: workspaceId, delivery_id: deliveryId, error: String(error) };
      log.error('a send broke', facts);
      const message = 'the send broke inside Outrider; its log says how';
      return { deliveryId, claimToken, ok: false, error: sendError('outcome_unknown', message) };
    }
  };
}
