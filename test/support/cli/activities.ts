// What show_activity may answer, for tests of what is made of it.

import { ShownActivity } from '../../../src/db/activity-rows.ts';

const now = '2026-03-02T10:00:00.000Z';

export function ahead(seconds: number): string {
  return new Date(Date.parse(now) + seconds * 1000).toISOString();
}

/** An answer as it comes out of the database. */
type Given = { [Name in keyof ShownActivity]?: unknown };

const quiet: Given = {
  workspace_id: 'city',
  name: 'City news',
  status: 'active',
  now,
  queue: { due: 0, scheduled: 0, retrying: 0, claimed: 0, sending: 0 },
  at_least: [],
  oldest_due: null,
  lately: { since: ahead(-60), sent: 0, retried: 0, failed: 0, dead: 0, deduped: 0 },
  senders: 1,
  channel_states: {
    open: 0,
    paused: 0,
    cooling_down: 0,
    resting: 0,
    probing: 0,
    closed: 0,
    credential_refused: 0,
    disabled: 0,
  },
  channels: [],
  sends: [],
  errors: [],
  alerts: [],
  groups: [],
};

/** A quiet workspace, unless something else is given. */
export function activityWith(given: Given = {}): ShownActivity {
  return ShownActivity.parse({ ...quiet, ...given });
}

export function channelNamed(channelId: string, given: object = {}): object {
  return {
    channel_id: channelId,
    platform: 'telegram',
    title: null,
    rate_group: 'bot',
    state: 'open',
    until: null,
    reason: null,
    waiting: 0,
    sending: 0,
    max_parallel: 4,
    rate_rps: 0.6,
    sent: 0,
    error_streak: 0,
    slot_at: null,
    next_at: null,
    next_delivery_id: null,
    ...given,
  };
}

/** A workspace with something in every list. */
export function busyActivity(given: Given = {}): ShownActivity {
  return activityWith({
    queue: { due: 1204, scheduled: 33, retrying: 5, claimed: 2, sending: 1 },
    oldest_due: { delivery_id: idOf(9), channel_id: 'news', due_since: ahead(-200) },
    lately: { since: ahead(-60), sent: 84, retried: 2, failed: 0, dead: 0, deduped: 1 },
    channel_states: { ...activityWith().channel_states, open: 1, paused: 1 },
    channels: [
      channelNamed('pets', {
        state: 'paused',
        until: ahead(3700),
        reason: '403: kicked',
        waiting: 3,
        error_streak: 2,
      }),
      channelNamed('news', {
        title: 'Город 🏙',
        waiting: 1000,
        sending: 1,
        sent: 28,
        next_at: ahead(2),
        next_delivery_id: idOf(9),
      }),
    ],
    sends: [
      {
        delivery_id: idOf(1),
        message_id: idOf(2),
        channel_id: 'news',
        attempt: 1,
        started_at: ahead(-3),
        lease_until: ahead(60),
        text: 'Lost: a ginger dog',
      },
    ],
    errors: [
      {
        channel_id: 'pets',
        code: '403',
        message: 'Forbidden: bot was kicked',
        count: 12,
        last_at: ahead(-20),
        delivery_id: idOf(3),
      },
    ],
    alerts: [
      {
        alert_id: idOf(4),
        kind: 'channel_paused',
        severity: 'critical',
        state: 'open',
        summary: 'channel "pets" is paused',
        opened_at: ahead(-600),
      },
    ],
    groups: [
      {
        platform: 'telegram',
        rate_group: 'bot',
        state: 'cooling_down',
        until: ahead(20),
        reason: '429: Too Many Requests',
        rate_rps: 17.5,
        channels: 2,
        slot_at: null,
      },
    ],
    ...given,
  });
}

function idOf(n: number): string {
  return `0198c0de-7d2a-7e3f-89e2-${String(n).padStart(12, '0')}`;
}
