import { describe, expect, it } from 'vitest';
import type { ClaimedReply } from '../../src/db/bot.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { createReplying } from '../../src/gateway/send-reply.ts';
import { silentLog } from '../../src/log.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

const reply: ClaimedReply = {
  workspaceId: 'city',
  replyId: '0198c0de-7d2a-7c3e-9f10-2b6f3f3c7a13',
  claimToken: '0198c0de-7d2a-7c3e-9f10-2b6f3f3c7a14',
  leaseMs: 60_000,
  attempt: 1,
  outcomeUnknown: false,
  platform: 'max',
  chatId: '7',
  authRef: 'bot',
  secretRef: null,
  rateGroup: 'bot',
  reply: { text: 'We are open.', buttons: [] },
  callbackId: null,
  traceId: 'trace',
  previousMessageId: null,
  waitMs: 0,
};

/** Sends the reply for a caller who stays; the server halts where `halts` says. Tells whether the send was broken off. */
async function isBrokenOff(halts: 'while the lease is extended' | 'while it is sent' | 'never') {
  const halt = new AbortController();
  const client: Queryable = {
    query: async () => {
      if (halts === 'while the lease is extended') halt.abort();
      return { rows: [{ reply_id: reply.replyId, lease_ms: '60000' }] };
    },
  };
  let wasBrokenOff = false;
  const replying = createReplying({
    client,
    log: silentLog,
    clock: createManualClock(),
    sendReply: async ({ replyId, claimToken }, { breakOff }) => {
      if (halts === 'while it is sent') halt.abort();
      wasBrokenOff = breakOff.signal.aborted;
      return { replyId, claimToken, ok: true, providerMessageId: '1' };
    },
  });
  await replying.send(reply, { gone: new AbortController().signal, halted: halt.signal });
  replying.stop();
  return wasBrokenOff;
}

describe('the send of a reply', () => {
  it.each(['while the lease is extended', 'while it is sent'] as const)(
    'is broken off when the server halts %s',
    async (halts) => {
      expect(await isBrokenOff(halts)).toBe(true);
    },
  );

  it('is not broken off as long as the server has time', async () => {
    expect(await isBrokenOff('never')).toBe(false);
  });
});
