// Why a delivery waits although its channel is open.

import { requeueDeliveries } from '../../../src/db/operate.ts';
import { recoverLeases } from '../../../src/db/recovery.ts';
import { after, setGroup, start } from '../database/seed.ts';
import { order, type Question, type ReasonCase, type Stage, soon } from './stage.ts';

const cat = { text: 'Found: a grey cat' };

/** Far from every sign of life. */
const muchLater = after(30 * 86_400);

/** The next attempt of a delivery whose first one failed. */
async function afterFailure(stage: Stage, error: Parameters<Stage['fail']>[0]): Promise<Question> {
  await stage.channel();
  const deliveryId = await stage.queue();
  await stage.fail(error);
  return { deliveryId, now: soon };
}

export const turnCases: readonly ReasonCase[] = [
  {
    reason: 'being_sent',
    provoke: async (stage) => {
      await stage.channel();
      const deliveryId = await stage.queue();
      await stage.claim(start);
      return { deliveryId, now: soon };
    },
    because:
      'A sender is at it: attempt 1 of 5 to send it to channel news began at 2026-03-02 10:00:00 UTC.',
    advice:
      'Wait until the sender is done. If it dies, its lease ends, and the delivery is tried again by itself.',
    until: after(30),
  },
  {
    reason: 'sender_silent',
    provoke: async (stage) => {
      await stage.channel();
      const deliveryId = await stage.queue();
      await stage.claim(start);
      return { deliveryId, now: after(31) };
    },
    because:
      'A sender began to send it to channel news at 2026-03-02 10:00:00 UTC and has not been heard of since: its lease is over.',
    advice:
      'Start a process that sends, such as `outrider run dispatch`: it takes such deliveries back within seconds.',
    until: after(30),
  },
  {
    reason: 'scheduled',
    provoke: async (stage) => {
      await stage.channel();
      return { deliveryId: await stage.queue({ ...cat, scheduled_for: after(3600) }), now: soon };
    },
    because: 'It was handed in to be sent later.',
    advice: 'Wait until then: no order brings it forward.',
    until: after(3600),
  },
  {
    reason: 'retry_failed',
    provoke: (stage) => afterFailure(stage, { code: 'busy', message: 'try later.' }),
    because: 'Attempt 1 of 5 failed, and there will be another: busy: try later.',
    advice: 'Nothing has to be done unless it goes on: then read what the platform said.',
    until: after(2),
  },
  {
    reason: 'retry_told_to_wait',
    provoke: (stage) =>
      afterFailure(stage, { code: 'rate_limited', message: 'slower', retryAfterMs: 60_000 }),
    because: 'Telegram asked to wait before the next attempt: rate_limited: slower.',
    advice: 'Wait: no attempt is used up. If this comes often, lower `rate_rps`.',
    until: after(60),
  },
  {
    reason: 'retry_platform_ill',
    provoke: async (stage) => {
      await stage.sandboxChannel('max');
      const deliveryId = await stage.queue();
      stage.sending.sandbox.faults.add({ kind: 'drop', platform: 'max', times: 1 });
      await stage.sending.round(stage.workspaceId);
      return { deliveryId, now: soon };
    },
    because:
      'MAX could not be reached, or gave no usable answer, and there will be another attempt: outcome_unknown: the server broke off the connection (UND_ERR_SOCKET).',
    advice:
      'Nothing has to be done: the next attempt takes into account that this one may have arrived.',
    until: after(2),
  },
  {
    reason: 'retry_media_not_ready',
    provoke: async (stage) => {
      await stage.set({ not_ready_backoff_min: '3 seconds', not_ready_backoff_max: '3 seconds' });
      return afterFailure(stage, { code: 'media_not_ready', message: 'attachment.not.ready' });
    },
    because: 'Telegram is still processing its media: media_not_ready: attachment.not.ready.',
    advice: 'Wait: it is tried again by itself.',
    until: after(3),
  },
  {
    reason: 'retry_media_unreadable',
    provoke: (stage) =>
      afterFailure(stage, { code: 'media_unreadable', message: 'the folder cannot be read' }),
    because:
      'Its media cannot be read from our own store: media_unreadable: the folder cannot be read.',
    advice:
      'Bring the store back: the folder `OUTRIDER_DATA_DIR`, or the S3 server. No attempt is used up meanwhile.',
    until: after(2),
  },
  {
    reason: 'retry_sender_gone',
    provoke: async (stage) => {
      await stage.channel();
      const deliveryId = await stage.queue();
      await stage.claim(start);
      await recoverLeases(stage.database.service, stage.workspaceId, after(60));
      return { deliveryId, now: after(61) };
    },
    because:
      'Its sender went away during attempt 1, so it may have arrived; there will be another attempt.',
    advice:
      'Wait: where the platform can be asked, the next attempt looks into the chat before it sends.',
    until: after(70),
  },
  {
    reason: 'retry_ordered',
    provoke: async (stage) => {
      await stage.channel();
      const refusal = { category: 'PERMANENT', code: 'refused' } as const;
      const first = await stage.queue();
      await stage.fail(refusal);
      const deliveryId = await stage.queue(cat);
      await stage.fail(refusal);
      const { workspaceId, database } = stage;
      const deliveryIds = [first, deliveryId];
      const again = { workspaceId, deliveryIds, over: '600 seconds', ...order };
      await requeueDeliveries(database.service, again, soon);
      return { deliveryId, now: after(2) };
    },
    because:
      'It is to be sent again, by order of ann at 2026-03-02 10:00:01 UTC, and its turn has not come: repairs.',
    advice: 'Wait until then: the order spread the deliveries over a time.',
    until: after(301),
  },
  {
    reason: 'slot',
    provoke: async (stage) => {
      await stage.channel({ rate_rps: 0.1 });
      await stage.queue();
      const deliveryId = await stage.queue(cat);
      await stage.claim(start, 2);
      return { deliveryId, now: soon };
    },
    because: 'It has the next slot of channel news, which takes one message every 10 s.',
    advice:
      'Wait until its slot comes. To be faster, raise `rate_rps` of the channel, if its platform allows more.',
    until: after(10),
  },
  {
    reason: 'parallel_limit',
    provoke: async (stage) => {
      await stage.channel({ max_parallel: 1 });
      await stage.queue();
      const deliveryId = await stage.queue(cat);
      await stage.claim(start, 2);
      return { deliveryId, now: soon };
    },
    because: 'Channel news sends 1 at once, and `max_parallel` is 1.',
    advice: 'Wait until a send ends, or raise `max_parallel` of the channel.',
    until: null,
  },
  {
    reason: 'channel_pace',
    provoke: async (stage) => {
      await stage.channel({ rate_rps: 0.6 });
      await stage.queue();
      await stage.send();
      return { deliveryId: await stage.queue(cat, soon), now: soon };
    },
    because: 'The next slot of channel news has not come: it takes one message every 1.7 s.',
    advice: 'Wait. To be faster, raise `rate_rps` of the channel, if its platform allows more.',
    until: after(1.666),
  },
  {
    reason: 'group_pace',
    provoke: async (stage) => {
      await stage.channel();
      await setGroup(stage.database.admin, stage.workspaceId, { rate_rps: 0.1 });
      await stage.queue();
      await stage.send();
      return { deliveryId: await stage.queue(cat, soon), now: soon };
    },
    because:
      'The next slot of rate group bot has not come: its channels together take one message every 10 s.',
    advice:
      'Wait. To be faster, spread the channels over more credentials: each has a pace of its own.',
    until: after(10),
  },
  {
    reason: 'behind_others',
    provoke: async (stage) => {
      await stage.beat(soon);
      await stage.channel({ rate_rps: 0.1 });
      await stage.queue();
      await stage.queue(cat);
      return { deliveryId: await stage.queue({ text: 'Lost: a parrot' }), now: soon };
    },
    because: 'In channel news 2 other deliveries go first.',
    advice:
      'Wait: they go in the order in which they came. `outrider deliveries --channel news` lists them.',
    until: after(21),
  },
  {
    reason: 'no_dispatcher',
    provoke: async (stage) => {
      await stage.channel();
      return { deliveryId: await stage.queue(cat, muchLater), now: muchLater };
    },
    because: 'It is due, and no process that sends has given a sign of life within the last 30 s.',
    advice:
      'Start one, such as `outrider run dispatch`, or read the log of the one that should run.',
    until: null,
  },
  {
    reason: 'next_in_line',
    provoke: async (stage) => {
      await stage.beat(soon);
      await stage.channel();
      return { deliveryId: await stage.queue(), now: soon };
    },
    because: 'It is due and the first of channel news: a dispatcher takes it next.',
    advice:
      'Wait a second. If it stays like this, read the log of the dispatcher and see what `outrider status` shows.',
    until: null,
  },
];
