import { expect, it } from 'vitest';
import { z } from 'zod';
import { time } from '../../src/db/columns.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import type { FaultKind } from '../../src/simulate/faults.ts';
import { simulate } from '../../src/simulate/simulate.ts';
import { start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useConnections } from '../support/simulate/connections.ts';
import { type MovedRun, runMoved } from '../support/simulate/moved-run.ts';

// A prediction, and then what the dispatcher, the adapters and the sandbox really do with the same posts: two bots and a MAX
// bot, a group whose pace binds, channels whose pace binds, two posting windows, rate limits and failures.

const { clients } = await useConnections();
const database = await useDatabase();

const workspaceId = 'city';
const posts = 80;
const callMs = 200;
const begin = Date.parse(start);

const spans = (...times: [string, string][]) => ({ mon: times });
const windowed = (posting_window: object) => ({
  window_mode: 'windowed',
  timezone: 'UTC',
  posting_window,
});
const channel = (platform: 'telegram' | 'max', n: number, auth_ref: string, more: object) => ({
  platform,
  target_id: String((platform === 'telegram' ? -1_001_000_000_000 : -70_000_000_000_000) - n),
  auth_ref,
  ...more,
});

const channels: Record<string, ReturnType<typeof channel>> = {};
for (let n = 1; n <= 4; n += 1) channels[`a${n}`] = channel('telegram', n, 'a', { rate_rps: 0.6 });
for (let n = 1; n <= 13; n += 1) {
  const own = { rate_rps: 0.5 };
  const late = windowed(spans(['10:03', '10:20']));
  const twice = windowed(spans(['10:01', '10:02'], ['10:04', '10:20']));
  const more = n === 12 ? late : n === 13 ? twice : {};
  channels[`b${n}`] = channel('telegram', 100 + n, 'b', { ...own, ...more });
}
for (let n = 1; n <= 8; n += 1) channels[`m${n}`] = channel('max', n, 'm', { rate_rps: 1 });

const document = {
  workspace: workspaceId,
  credentials: {
    a: { platform: 'telegram', secret_ref: 'env:TELEGRAM_TOKEN' },
    b: { platform: 'telegram', secret_ref: 'env:TELEGRAM_TOKEN' },
    m: { platform: 'max', secret_ref: 'env:MAX_TOKEN' },
  },
  rate_groups: {
    telegram: { a: { rate_rps: 2 }, b: { rate_rps: 0 } },
    max: { m: { rate_rps: 0 } },
  },
  channels,
};

const arrivals = Array.from({ length: posts }, (_, n) => ({
  at: begin + Math.max(0, n - 49) * 3000,
  post: { text: `Post ${n}` },
}));

const faults: Record<string, FaultKind> = {
  'a1 10': '429',
  'a3 40': '429',
  'b2 20': '429',
  'a2 25': '5xx',
  'b5 33': '5xx',
  'b5 35': '5xx',
};

const inSandbox: MovedRun['faults'] = Object.entries(faults).map(([place, kind]) => {
  const [id = '', call = ''] = place.split(' ');
  const targetId = channels[id]?.target_id ?? '';
  const common = { platform: 'telegram', targetId, call: Number(call) } as const;
  return kind === '429'
    ? { ...common, kind: 'rate_limited', retryAfter: 5 }
    : { ...common, kind: 'server_error' };
});

it('a simulation predicts each sent_at of 2,000 deliveries to within 5 % of the makespan', async () => {
  const { asItIs: predicted } = await simulate({
    clients,
    configuration: { document, earlierTemplates: [] },
    changes: [],
    arrivals,
    media: {},
    durationOf: () => callMs,
    faultsOf: ({ channelId, call }) => faults[`${channelId} ${call}`],
    retryAfterMs: 5000,
    timeoutMs: 20_000,
    places: 450,
    horizonMs: 86_400_000,
  });
  expect(predicted.deliveries).toHaveLength(2000);

  const chats = Object.values(channels).map(({ platform, target_id: targetId }) => ({
    platform,
    targetId,
  }));
  const deliveries = predicted.deliveries.length;
  await runMoved(database, {
    workspaceId,
    document,
    chats,
    arrivals,
    faults: inSandbox,
    callMs,
    deliveries,
  });
  const rows = await queryRows(
    database.admin,
    z.object({ channel_id: z.string(), text: z.string(), sent_at: time, attempt: z.number() }),
    `select channel_id, rendered_text as text, sent_at, attempt from outrider.deliveries where sent_at is not null`,
  );
  const real = new Map(rows.map((row) => [`${row.channel_id} ${row.text}`, row.sent_at.getTime()]));
  const makespan = Math.max(...real.values()) - begin;
  const errors = predicted.deliveries.map(({ channelId, post, sentAt = 0 }) =>
    Math.abs(sentAt - (real.get(`${channelId} Post ${post}`) ?? Number.NaN)),
  );

  expect(real.size).toBe(2000);
  const again = rows.reduce((sum, { attempt }) => sum + attempt - 1, 0);
  expect(again).toBe(Object.keys(faults).length);
  expect(makespan).toBeGreaterThan(300_000);
  expect(Math.max(...errors) / makespan).toBeLessThan(0.05);
}, 400_000);
