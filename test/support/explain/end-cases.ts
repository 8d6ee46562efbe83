// How deliveries end, and what people do with them.

import { releaseStale, requeueDeliveries, resolveDeliveries } from '../../../src/db/operate.ts';
import { recoverLeases } from '../../../src/db/recovery.ts';
import { after, start } from '../database/seed.ts';
import { purgeAll } from '../queue/purging.ts';
import { dog, order, type Question, type ReasonCase, type Stage, soon } from './stage.ts';

const refused = { category: 'PERMANENT', scope: 'delivery' } as const;
const unknown = { category: 'PERMANENT', code: 'outcome_unknown', outcome: 'unknown' } as const;

async function ended(stage: Stage, error: Parameters<Stage['fail']>[0]): Promise<Question> {
  await stage.channel();
  const deliveryId = await stage.queue();
  await stage.fail(error);
  return { deliveryId, now: soon };
}

export const endCases: readonly ReasonCase[] = [
  {
    reason: 'sent',
    provoke: async (stage) => {
      await stage.sandboxChannel('telegram');
      const deliveryId = await stage.queue();
      await stage.sending.round(stage.workspaceId);
      return { deliveryId, now: soon };
    },
    because: 'It was sent to channel news at 2026-03-02 10:00:00 UTC; Telegram knows it as 1.',
    advice: 'Nothing is left to do. If it cannot be seen there, somebody has removed it since.',
    until: null,
  },
  {
    reason: 'sent_by_word',
    provoke: async (stage) => {
      const { deliveryId = '' } = await ended(stage, { ...unknown, message: 'no answer came' });
      const { workspaceId, database } = stage;
      const found = { workspaceId, deliveryIds: [deliveryId], providerMessageIds: ['77'] };
      await resolveDeliveries(database.service, { ...found, ...order }, soon);
      return { deliveryId, now: after(2) };
    },
    because:
      'It counts as sent to channel news since 2026-03-02 10:00:00 UTC, because ann found it there as 77: repairs.',
    advice: 'Nothing is left to do.',
    until: null,
  },
  {
    reason: 'held',
    provoke: (stage) => ended(stage, { ...unknown, message: 'no answer came' }),
    because:
      'Nobody knows whether it arrived in channel news, so it is held for an operator: outcome_unknown: no answer came.',
    advice:
      'Look into the chat. If it is there, `outrider deliveries resolve <id> --as sent <id at the platform> --reason …`; if not, `outrider deliveries resolve <id> --as lost --reason …` sends it again.',
    until: null,
  },
  {
    reason: 'failed_checks',
    provoke: async (stage) => {
      await stage.channel();
      return { deliveryId: await stage.queue({ text: 'x'.repeat(5000) }), now: soon };
    },
    because:
      'It did not pass the checks for Telegram and was never tried: validation_failed: the text has 5,000 characters, Telegram takes 4,096.',
    advice:
      'Correct the post, or the template or settings of channel news, and hand the post in again: this delivery cannot be requeued.',
    until: null,
  },
  {
    reason: 'failed_for_channel',
    provoke: async (stage) => {
      await stage.sandboxChannel('max');
      const deliveryId = await stage.queue();
      stage.sending.sandbox.faults.add({ kind: 'kicked', times: 1 });
      await stage.sending.round(stage.workspaceId);
      return { deliveryId, now: soon };
    },
    because:
      'MAX refused channel news: not_allowed: MAX says chat.denied, chat.send.msg.no.permission.because.not.admin.',
    advice:
      'Give the bot or the user back its right to post in the chat. Then let the channel send (`outrider channels resume news --reason …`, or `enable`), and `outrider deliveries requeue <id> --reason …`.',
    until: null,
  },
  {
    reason: 'failed_media',
    provoke: (stage) =>
      ended(stage, { ...refused, code: 'media_missing_origin', message: 'media[0] is gone' }),
    because: 'Its media could not be sent: media_missing_origin: media[0] is gone.',
    advice: 'Hand the post in again with the file: its bytes are gone.',
    until: null,
  },
  {
    reason: 'failed_for_good',
    provoke: (stage) => ended(stage, { ...refused, code: '400', message: 'Bad Request: no' }),
    because: 'Telegram refused it for good: 400: Bad Request: no.',
    advice:
      'Read what the platform said, and correct the post. If it should go out as it is: `outrider deliveries requeue <id> --reason …`.',
    until: null,
  },
  {
    reason: 'dead_after_attempts',
    provoke: async (stage) => {
      await stage.set({ max_attempts: 1 });
      return ended(stage, { code: 'link_unreadable', message: 'failed to get HTTP URL content' });
    },
    because:
      'It was given up after 1 attempt, the last of which failed: link_unreadable: failed to get HTTP URL content.',
    advice:
      'Check the link, and whether its host answers strangers. When the cause is over: `outrider deliveries requeue <id> --reason …`.',
    until: null,
  },
  {
    reason: 'dead_after_waiting',
    provoke: async (stage) => {
      await stage.set({ give_up_after: '1 second' });
      const slower = { code: 'rate_limited', message: 'slower', retryAfterMs: 60_000 };
      const { deliveryId = '' } = await ended(stage, slower);
      await stage.fail(slower, after(60));
      return { deliveryId, now: after(61) };
    },
    because:
      'It was given up, because it was made to wait for too long: rate_limited: it was made to wait for 00:01:00 in all, and give_up_after is 00:00:01: slower.',
    advice:
      'When Telegram takes posts again: `outrider deliveries requeue <id> --reason …`. `give_up_after` of the workspace says how long is too long.',
    until: null,
  },
  {
    reason: 'dead_in_doubt',
    provoke: async (stage) => {
      await stage.set({ max_attempts: 1 });
      await stage.channel();
      const deliveryId = await stage.queue();
      await stage.claim(start);
      await recoverLeases(stage.database.service, stage.workspaceId, after(60));
      return { deliveryId, now: after(61) };
    },
    because:
      'It was given up after 1 attempt, and may have arrived: outcome_unknown: the sender went away.',
    advice:
      'Look into the chat. If it is not there: `outrider deliveries requeue <id> --reason …`.',
    until: null,
  },
  {
    reason: 'repeat_of_sent',
    provoke: async (stage) => {
      await stage.channel();
      await stage.queue();
      await stage.send();
      await stage.take(dog, after(60));
      return { search: dog.text, channelId: 'news', now: after(61) };
    },
    because:
      'Channel news got the same post as delivery <id> at 2026-03-02 10:00:00 UTC, and takes it again only when its dedup window is over.',
    advice:
      'A repeat needs nothing. If it was meant as a new post, change its words; `dedup_ttl_hours` of the channel says how long the window lasts.',
    until: after(168 * 3600),
    beside: true,
  },
  {
    reason: 'repeat_in_flight',
    provoke: async (stage) => {
      await stage.set({ keep_deduped_rows: true });
      await stage.channel();
      await stage.queue();
      await stage.take(dog, after(60));
      return { search: dog.text, channelId: 'news', now: after(61) };
    },
    because: 'The same post was on its way to channel news when this one came, as delivery <id>.',
    advice: 'See what became of that one: `outrider explain <id>`.',
    until: null,
    beside: true,
  },
  {
    reason: 'nearly_the_same',
    provoke: async (stage) => {
      await stage.channel({ settings: { similar: {} } });
      const lost = 'Пропала рыжая такса Буся, красный ошейник, район рощи. Звоните 8 900 000-11-22';
      await stage.queue({ text: lost });
      const { channels } = await stage.take({ text: `❗️ ${lost} #репост` }, after(60));
      const [verdict] = channels;
      if (verdict?.verdict !== 'deduped' || verdict.because !== 'similar') {
        throw new Error('it was not suppressed');
      }
      return { deliveryId: verdict.suppressedId ?? '', now: after(61) };
    },
    because:
      'It is nearly the same as delivery <id>, which channel news has: score 0.93, by phone and text.',
    advice:
      'If it is another post, send it: `outrider deliveries requeue <id> --reason …`. `settings.similar` of the channel says how near is too near.',
    until: after(72 * 3600),
  },
  {
    reason: 'requeued',
    provoke: async (stage) => {
      const { deliveryId = '' } = await ended(stage, { ...refused, code: '400' });
      const { workspaceId, database } = stage;
      const again = { workspaceId, deliveryIds: [deliveryId], ...order };
      await requeueDeliveries(database.service, again, soon);
      return { deliveryId, now: after(2) };
    },
    because: 'By order of ann it was sent again at 2026-03-02 10:00:01 UTC: repairs.',
    advice: 'Nothing is left to do: `outrider deliveries show <id>` has what became of it before.',
    until: null,
    beside: true,
  },
  {
    reason: 'released',
    provoke: async (stage) => {
      await stage.channel();
      const deliveryId = await stage.queue();
      await stage.claim(start);
      const stuck = { workspaceId: stage.workspaceId, olderThan: '30 seconds', ...order };
      await releaseStale(stage.database.service, stuck, after(60));
      return { deliveryId, now: after(61) };
    },
    because:
      'By order of ann it was taken from the process that had it, at 2026-03-02 10:01:00 UTC: repairs.',
    advice: 'Nothing is left to do: what was given back is sent by another process.',
    until: null,
    beside: true,
  },
  {
    reason: 'unknown_delivery',
    provoke: async () => ({
      deliveryId: '00000000-0000-4000-8000-000000000001',
      now: soon,
    }),
    because: 'Workspace city has no delivery with the id <id>.',
    advice: 'Check the id and the workspace: `outrider deliveries` lists the latest.',
    until: null,
  },
];

/** These delete what other cases have left. */
export const purgeCases: readonly ReasonCase[] = [
  {
    reason: 'purged',
    provoke: async (stage) => {
      await stage.channel();
      const deliveryId = await stage.queue();
      await stage.send();
      await purgeAll(stage.database.service, after(100 * 86_400));
      return { deliveryId, now: after(100 * 86_400) };
    },
    because:
      'Nothing is kept of it: its id was made at 2026-03-02 10:00:00 UTC, and what has ended is deleted after 90 days.',
    advice:
      'Ask the chat itself. To keep deliveries for longer, raise `deliveries_retention` of the workspace.',
    until: null,
  },
  {
    reason: 'delivery_purged',
    provoke: async (stage) => {
      await stage.channel();
      await stage.channel({ dedup_ttl_hours: 24 * 365 }, 'archive');
      const { messageId } = await stage.take();
      await stage.send();
      await stage.send();
      await purgeAll(stage.database.service, after(100 * 86_400 + 86_400));
      return { search: messageId, channelId: 'news', now: after(101 * 86_400) };
    },
    because:
      'What became of it in the channel is no longer kept: what has ended is deleted after 90 days.',
    advice:
      'Ask the chat itself. To keep deliveries for longer, raise `deliveries_retention` of the workspace.',
    until: null,
  },
];
