// Why nothing of a workspace, a channel or a rate group is sent.

import { commitOutcomes } from '../../../src/db/commit.ts';
import { disableChannels, pauseChannels } from '../../../src/db/operate.ts';
import { after, start } from '../database/seed.ts';
import { failed } from '../queue/outcomes.ts';
import { dog, order, type Question, type ReasonCase, type Stage, soon } from './stage.ts';

const window = { window_mode: 'windowed', timezone: 'UTC' };

/** Two channels of one group find their platform ill; another post waits. */
async function outage(stage: Stage): Promise<string> {
  await stage.set({ outage_after_channels: 2, backoff_base: '30 seconds' });
  await stage.channel();
  await stage.channel({}, 'pets');
  await stage.take();
  const { service } = stage.database;
  const error = { code: 'outcome_unknown', message: 'no answer came' };
  for (const held of await stage.claim(start, 2)) {
    await commitOutcomes(service, stage.workspaceId, [failed(held, error)], start);
  }
  return stage.queue({ text: 'Found: a grey cat' }, soon);
}

async function inWorkspace(stage: Stage, status: 'paused' | 'disabled'): Promise<Question> {
  await stage.channel();
  const deliveryId = await stage.queue();
  await stage.status(status);
  return { deliveryId, now: soon };
}

export const gateCases: readonly ReasonCase[] = [
  {
    reason: 'workspace_paused',
    provoke: (stage) => inWorkspace(stage, 'paused'),
    because: 'Workspace city is paused: it takes posts in and sends none.',
    advice: 'Write `status: active` into its file, then `outrider apply <file>`.',
    until: null,
  },
  {
    reason: 'workspace_disabled',
    provoke: (stage) => inWorkspace(stage, 'disabled'),
    because: 'Workspace city is disabled: it neither sends posts nor takes any in.',
    advice: 'Write `status: active` into its file, then `outrider apply <file>`.',
    until: null,
  },
  {
    reason: 'channel_paused',
    provoke: async (stage) => {
      await stage.channel();
      const deliveryId = await stage.queue();
      const { workspaceId, database } = stage;
      const pause = { workspaceId, channelIds: ['news'], until: after(3600), ...order };
      await pauseChannels(database.service, pause, start);
      return { deliveryId, now: soon };
    },
    because: 'Channel news is paused by ann: repairs.',
    advice: 'Wait until the pause ends, or end it: `outrider channels resume news --reason …`.',
    until: after(3600),
  },
  {
    reason: 'channel_paused_for_good',
    provoke: async (stage) => {
      await stage.channel();
      const deliveryId = await stage.queue();
      const { workspaceId, database } = stage;
      const pause = { workspaceId, channelIds: ['news'], ...order };
      await pauseChannels(database.service, pause, start);
      return { deliveryId, now: soon };
    },
    because: 'Channel news is paused by ann: repairs, until somebody resumes it.',
    advice: 'End the pause: `outrider channels resume news --reason …`.',
    until: null,
  },
  {
    reason: 'channel_paused_after_refusal',
    provoke: async (stage) => {
      await stage.sandboxChannel('telegram');
      await stage.queue();
      stage.sending.sandbox.faults.add({ kind: 'kicked', times: 1 });
      await stage.sending.round(stage.workspaceId);
      return { deliveryId: await stage.queue({ text: 'Found: a grey cat' }, soon), now: soon };
    },
    because:
      'Channel news is paused, because Telegram refused it: not_allowed: Telegram answers with 403: Forbidden: bot was kicked from the channel chat.',
    advice:
      'Give the bot or the user back its right to post in the chat. Then `outrider channels resume news --reason …`, or wait until the pause ends.',
    until: after(3600),
  },
  {
    reason: 'channel_disabled',
    provoke: async (stage) => {
      await stage.channel();
      const deliveryId = await stage.queue();
      const { workspaceId, database } = stage;
      await disableChannels(
        database.service,
        { workspaceId, channelIds: ['news'], ...order },
        start,
      );
      return { deliveryId, now: soon };
    },
    because: 'Channel news is disabled by ann: repairs.',
    advice: 'Enable it: `outrider channels enable news --reason …`.',
    until: null,
  },
  {
    reason: 'channel_disabled_after_refusals',
    provoke: async (stage) => {
      await stage.set({ disable_after_permanent_streak: 1 });
      await stage.channel({ max_parallel: 1 });
      await stage.queue();
      const deliveryId = await stage.queue({ text: 'Found: a grey cat' });
      const refusal = { category: 'PERMANENT', scope: 'channel', code: 'chat_not_found' } as const;
      await stage.fail({ ...refusal, message: 'Bad Request: chat not found' });
      return { deliveryId, now: soon };
    },
    because:
      'Channel news was disabled, because Telegram refused it several times in a row: chat_not_found: Bad Request: chat not found.',
    advice: 'Correct `target_id` of the channel. Then `outrider channels enable news --reason …`.',
    until: null,
  },
  {
    reason: 'channel_cooling_down',
    provoke: async (stage) => {
      await stage.channel();
      await stage.queue();
      await stage.fail({ scope: 'channel', code: 'rate_limited', retryAfterMs: 60_000 });
      return { deliveryId: await stage.queue({ text: 'Found: a grey cat' }, soon), now: soon };
    },
    because: 'Telegram asked channel news to wait.',
    advice: 'Wait: it goes on by itself. If this comes often, lower `rate_rps` of the channel.',
    until: after(60),
  },
  {
    reason: 'window_closed',
    provoke: async (stage) => {
      await stage.channel({ ...window, posting_window: { mon: [['12:00', '18:00']] } });
      return { deliveryId: await stage.queue(), now: soon };
    },
    because: 'Channel news waits for its posting window, whose times are those of UTC.',
    advice:
      'Wait until it opens, or change `posting_window` of the channel and `outrider apply` it.',
    until: after(7200),
  },
  {
    reason: 'window_never_opens',
    provoke: async (stage) => {
      await stage.channel({ ...window, posting_window: {} });
      return { deliveryId: await stage.queue(), now: soon };
    },
    because: 'The posting window of channel news never opens.',
    advice:
      'Give `posting_window` of the channel some hours, or set `window_mode: immediate`, and `outrider apply` it.',
    until: null,
  },
  {
    reason: 'group_cooling_down',
    provoke: async (stage) => {
      await stage.sandboxChannel('telegram');
      await stage.queue();
      const slower = { kind: 'rate_limited', platform: 'telegram', retryAfter: 30 } as const;
      stage.sending.sandbox.faults.add({ ...slower, times: 1 });
      await stage.sending.round(stage.workspaceId);
      return { deliveryId: await stage.queue({ text: 'Found: a grey cat' }, soon), now: soon };
    },
    because:
      'Telegram asked rate group bot, to which channel news belongs, to wait: rate_limited: Telegram answers with 429: Too Many Requests: retry after 30.',
    advice:
      'Wait: it goes on by itself. If this comes often, lower `rate_rps` of the group, or find out what else uses the same token.',
    until: after(30),
  },
  {
    reason: 'group_resting',
    provoke: async (stage) => ({ deliveryId: await outage(stage), now: after(2) }),
    because:
      'Rate group bot rests, because Telegram seems to be ill: 2 of its channels in a row found the platform ill: outcome_unknown: no answer came.',
    advice:
      'Wait: after the rest one post at a time tries whether Telegram is well. `outrider rate-groups` shows how it goes.',
    until: after(30),
  },
  {
    reason: 'group_probing',
    provoke: async (stage) => ({ deliveryId: await outage(stage), now: after(31) }),
    because:
      'Rate group bot is probed with one post at a time, because Telegram was ill: 2 of its channels in a row found the platform ill: outcome_unknown: no answer came.',
    advice:
      'Wait: the first post that arrives opens the group. If none does, `outrider events --errors --since 30m` says why.',
    until: null,
  },
  {
    reason: 'credential_refused',
    provoke: async (stage) => {
      await stage.sandboxChannel('telegram');
      const deliveryId = await stage.queue(dog);
      stage.sending.sandbox.faults.add({ kind: 'revoked', times: 1 });
      await stage.sending.round(stage.workspaceId);
      return { deliveryId, now: soon };
    },
    because: 'Rate group bot is closed, because Telegram refused credential bot (env:TELEGRAM).',
    advice:
      'Replace the token, restart the dispatchers if it is an environment variable, then `outrider auth check`: that opens the group.',
    until: null,
  },
];
