// Workspaces to look at: a city with forty channels and a day behind it, and small ones of which each has one thing wrong.

import { claimDeliveries } from '../../../src/db/claim.ts';
import { commitOutcomes, commitSent } from '../../../src/db/commit.ts';
import { ackAlert, beat, evaluateAlerts, listAlerts } from '../../../src/db/monitor.ts';
import { disableChannels } from '../../../src/db/operate.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { addAlertTarget, addDead } from '../alerts/alert-rows.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addMessage,
  addWorkspace,
  after,
  setGroup,
  start,
} from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { addSource } from '../pull/pull-ground.ts';
import { retryAt } from '../queue/deliveries-in-every-state.ts';
import { allSent } from '../queue/outcomes.ts';

/** The time that the pages are looked at, in seconds after the start. */
export const present = 600;

const districts = ['North', 'South', 'East', 'West', 'Harbour', 'Old Town', 'Hill', 'Riverside'];
const topics = ['news', 'lost pets', 'events', 'transport', 'jobs'];
const platforms = ['telegram', 'max', 'vk'] as const;

/** Forty channels on three platforms, with a day of samples. All is well. */
export async function addCity(database: TestDatabase, workspaceId: string): Promise<void> {
  const { admin } = database;
  await addWorkspace(admin, workspaceId);
  await admin.query("update outrider.workspaces set name = 'City news' where workspace_id = $1", [
    workspaceId,
  ]);
  const channelIds = districts.flatMap((district) =>
    topics.map((topic) => ({ id: slug(`${district}-${topic}`), title: `${district} ${topic}` })),
  );
  for (const [n, { id, title }] of channelIds.entries()) {
    const platform = platforms[n % 3] ?? 'telegram';
    await addChannel(admin, workspaceId, id, {
      title,
      platform,
      target_id: `-100${n}`,
      auth_ref: `${platform}-main`,
      rate_group: `${platform}-main`,
      rate_rps: 1,
    });
  }
  await admin.query(
    `update outrider.platform_limits set rate_rps = case platform when 'vk' then 3 else 25 end where workspace_id = $1`,
    [workspaceId],
  );
  await addPast(admin, workspaceId);
  await addSource(admin, { workspaceId, sourceId: 'city-feed' });
  await beat(
    database.service,
    { ...oneProcess, roles: ['ingest', 'pull', 'dispatch', 'upkeep'] },
    after(present - 5),
  );
  await beat(database.service, { ...another, roles: ['monitor'] }, after(present - 3));
}

const oneProcess = {
  serviceId: '00000000-0000-4000-8000-000000000001',
  host: 'post-1',
  pid: 4021,
  version: '0.1.0',
  ready: true,
  facts: {},
};
const another = { ...oneProcess, serviceId: '00000000-0000-4000-8000-000000000002', pid: 4055 };

function slug(text: string): string {
  return text.toLowerCase().replaceAll(' ', '-');
}

/** A day of samples: little at night, much at noon, a backlog in the evening that a slow platform made. */
async function addPast(admin: Queryable, workspaceId: string): Promise<void> {
  await admin.query(
    `insert into outrider.queue_samples
     select $1, b.at, (20 + 60 * b.day + case when b.n between 60 and 90 then 15 * (90 - b.n) else 0 end)::integer,
       (40 * b.day)::integer, case when b.n between 60 and 90 then 30 else (6 * b.day)::integer end, (8 * b.day)::integer,
       (5 + 10 * b.day)::integer
     from (
       select n, date_bin('5 minutes', $2::timestamptz - n * interval '5 minutes', 'epoch') as at,
         greatest(0, sin((288 - n) * pi() / 160)) as day
       from generate_series(0, 287) n
     ) b`,
    [workspaceId, after(present)],
  );
  await admin.query(
    `insert into outrider.channel_samples
     select $1, b.at, c.channel_id, (1 + 12 * b.day * (1 + abs(hashtext(c.channel_id || b.n)) % 5) / 5)::integer,
       case when b.n % 23 = abs(hashtext(c.channel_id)) % 23 then 2 else 0 end,
       case when abs(hashtext(c.channel_id || 'f')) % 5 = 0 and b.n % 61 = 7 then 1 else 0 end
     from (
       select n, date_bin('5 minutes', $2::timestamptz - n * interval '5 minutes', 'epoch') as at,
         greatest(0, sin((288 - n) * pi() / 160)) as day
       from generate_series(0, 287) n
     ) b
     join outrider.channels c on c.workspace_id = $1
     where abs(hashtext(c.channel_id || b.n)) % 3 > 0`,
    [workspaceId, after(present)],
  );
}

/** What waits: some in each of the first channels, one for tomorrow, and what was sent just now. */
export async function addWork(
  { admin, service }: TestDatabase,
  workspaceId: string,
): Promise<void> {
  const { rows } = await admin.query<{ channel_id: string }>(
    'select channel_id from outrider.channels where workspace_id = $1 order by channel_id limit 12',
    [workspaceId],
  );
  const channelIds = rows.map((row) => row.channel_id);
  await addBacklog(admin, workspaceId, channelIds, 1);
  for (const seconds of [10, 20, 30]) {
    const claim = { workspaceId, runId: 'run', limit: channelIds.length };
    const held = await claimDeliveries(service, claim, after(seconds));
    if (held.length === 0) continue;
    await commitSent(service, workspaceId, allSent(held), after(present - 10 * seconds));
  }
  await admin.query(
    `update outrider.channel_pace p set next_allowed_at = timestamptz '${after(present)}' + x.n * interval '7 seconds'
     from (select c, n from unnest($2::text[]) with ordinality as u (c, n)) x
     where p.workspace_id = $1 and p.channel_id = x.c`,
    [workspaceId, channelIds],
  );
  await addBacklog(admin, workspaceId, channelIds, 4);
  const [first = ''] = channelIds;
  await addDelivery(admin, workspaceId, first, { not_before: after(86_400) });
}

/** Two things that need somebody, one that somebody knows of, and a platform that asked to wait. */
export async function addTrouble(database: TestDatabase, workspaceId: string): Promise<void> {
  const { admin, service } = database;
  await addAlertTarget(admin, workspaceId);
  await admin.query(
    `update outrider.platform_limits
     set cooldown_until = $2, last_error = '{"code": "429", "message": "Too Many Requests: retry after 240"}'
     where workspace_id = $1 and platform = 'vk'`,
    [workspaceId, after(present + 240)],
  );
  await stopChannel(
    admin,
    workspaceId,
    'hill-events',
    'Forbidden: bot was kicked from the supergroup chat',
  );
  await evaluateAlerts(service, workspaceId, after(present - 400));
  const [known] = await listAlerts(service, { workspaceId, limit: 1 }, after(present - 300));
  const order = { workspaceId, dryRun: false, operator: 'ann', reason: 'I have asked the owner' };
  if (known === undefined) throw new Error('no alert is open');
  await ackAlert(service, { ...order, alertId: known.alertId }, after(present - 300));
  await stopChannel(admin, workspaceId, 'old-town-news', 'Bad Request: chat not found');
  await addDelivery(admin, workspaceId, 'riverside-jobs', {
    rendered_text: 'Wanted: a baker for the night shift at Riverside',
  });
  const claim = { workspaceId, runId: 'run', limit: 1 };
  const [held] = await claimDeliveries(service, claim, start);
  if (held === undefined) throw new Error('nothing was claimed');
  await commitOutcomes(service, workspaceId, [retryAt(held, after(900))], after(1));
  await admin.query(
    `update outrider.deliveries
     set status = 'dead', next_retry_at = null, failed_at = $2, updated_at = $2,
         last_error = '{"code": "502", "message": "Bad Gateway"}'
     where delivery_id = $1`,
    [held.deliveryId, after(present - 130)],
  );
  await evaluateAlerts(service, workspaceId, after(present - 60));
}

async function stopChannel(
  admin: Queryable,
  workspaceId: string,
  channelId: string,
  message: string,
): Promise<void> {
  await admin.query(
    `update outrider.channels set enabled = false, stopped_because = $3 where workspace_id = $1 and channel_id = $2`,
    [workspaceId, channelId, JSON.stringify({ code: '403', message })],
  );
}

export interface OneThing {
  readonly title: string;
  /** The first words of the page. */
  readonly verdict: string;
  /** Words that say what is wrong, and what to do. */
  readonly words: readonly (string | RegExp)[];
  readonly make: (database: TestDatabase, workspaceId: string) => Promise<void>;
}

const news = (database: TestDatabase, workspaceId: string, columns: object = {}): Promise<void> =>
  addChannel(database.admin, workspaceId, 'news', { ...columns, title: 'City news' });

/** Workspaces of one channel, each in another state. */
export const states: readonly OneThing[] = [
  {
    title: 'nothing at all',
    verdict: 'There is no channel yet',
    words: ['outrider apply workspace.yaml', 'There is no bot', 'Nothing has failed'],
    make: async () => undefined,
  },
  {
    title: 'a channel to which nothing goes',
    verdict: 'Everything is out',
    words: ['City news', '1 open'],
    make: news,
  },
  {
    title: 'a paused channel',
    verdict: '1 thing needs you',
    words: [/Channel "news" is paused: 403: bot was blocked/, 'outrider channels resume news'],
    make: (database, workspaceId) =>
      news(database, workspaceId, {
        paused_until: after(4200),
        stopped_because: JSON.stringify({ code: '403', message: 'bot was blocked' }),
      }),
  },
  {
    title: 'a disabled channel',
    verdict: '1 thing needs you',
    words: ['bot was kicked', 'outrider channels enable news'],
    make: (database, workspaceId) =>
      news(database, workspaceId, {
        enabled: false,
        stopped_because: JSON.stringify({ code: '403', message: 'bot was kicked' }),
      }),
  },
  {
    title: 'a post that waits in a channel that somebody disabled',
    verdict: 'Everything is out but what waits in 1 disabled channel',
    words: ['by ann: repairs', '1 waiting'],
    async make(database, workspaceId) {
      await news(database, workspaceId);
      await addDelivery(database.admin, workspaceId, 'news');
      const order = { workspaceId, channelIds: ['news'], operator: 'ann', reason: 'repairs' };
      await disableChannels(database.service, order, start);
    },
  },
  {
    title: 'a cooldown',
    verdict: 'Nothing needs you: 1 channel waits for a platform',
    words: ['cooling down 5 min more', 'rate group bot'],
    async make(database, workspaceId) {
      await news(database, workspaceId);
      await setGroup(database.admin, workspaceId, { cooldown_until: after(present + 300) });
    },
  },
  {
    title: 'a refused credential',
    verdict: '1 thing needs you',
    words: [
      /Credential "bot" is refused/,
      'replace the token, then outrider auth check',
      'credential refused',
    ],
    async make(database, workspaceId) {
      await news(database, workspaceId);
      await setGroup(database.admin, workspaceId, { closed_at: start, closed_auth_ref: 'bot' });
    },
  },
  {
    title: 'a dead letter',
    verdict: '1 thing needs you',
    words: [
      '1 delivery is dead in news',
      'outrider deliveries --status dead',
      'Lost: a ginger dog',
    ],
    async make(database, workspaceId) {
      await news(database, workspaceId);
      await addDead(database, workspaceId, after(present - 120));
    },
  },
  {
    title: 'a post that failed, and is no reason for an alert',
    verdict: 'Everything is out but what failed in the last hour',
    words: ['message is too long', '1 failed'],
    async make(database, workspaceId) {
      await news(database, workspaceId);
      await addFailedPost(database, workspaceId, 'news');
    },
  },
  {
    title: 'a source that cannot be read',
    verdict: '1 thing needs you',
    words: ['no such host', 'outrider sources test feed', 'failing'],
    async make({ admin }, workspaceId) {
      await addChannel(admin, workspaceId, 'news');
      await addSource(admin, { workspaceId, sourceId: 'feed' });
      await admin.query(
        `update outrider.pull_cursors set failures = 3, failing_since = $2, last_error = 'no such host'
         where workspace_id = $1`,
        [workspaceId, start],
      );
    },
  },
  {
    title: 'a workspace that is paused',
    verdict: '1 thing needs you',
    words: ['The workspace is paused and sends nothing'],
    async make(database, workspaceId) {
      await news(database, workspaceId);
      await database.admin.query(
        "update outrider.workspaces set status = 'paused' where workspace_id = $1",
        [workspaceId],
      );
    },
  },
];

/** A post that failed, to be found and looked at; answers with its delivery. */
export async function addFailedPost(
  { admin }: TestDatabase,
  workspaceId: string,
  channelId: string,
): Promise<string> {
  const text = 'Found: a grey cat with a red collar\nAt the harbour, pier 4. Call +7 916 123-45-67';
  const message_id = await addMessage(admin, workspaceId, {
    payload: JSON.stringify({ type: 'text', text }),
    source_ref: 'cat-17',
    tags: ['found', 'cats'],
    created_at: after(30),
    last_seen_at: after(30),
  });
  const error = {
    category: 'PERMANENT',
    scope: 'delivery',
    code: '400',
    message: 'Bad Request: message is too long',
  };
  const columns = {
    message_id,
    status: 'failed_permanent',
    attempt: 1,
    failed_at: after(present - 90),
    created_at: after(30),
    last_error: JSON.stringify(error),
    rendered_text: text,
  };
  const deliveryId = await addDelivery(admin, workspaceId, channelId, columns);
  await admin.query(
    `insert into outrider.event_log (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result, error)
     values ($1, gen_random_uuid(), $2, $3, $4, $5, 'enqueue', 0, 'ok', null),
       ($1, gen_random_uuid(), $2, $3, $4, $6, 'send_attempt', 1, 'ok', null),
       ($1, gen_random_uuid(), $2, $3, $4, $7, 'failed_permanent', 1, 'error', $8)`,
    [
      workspaceId,
      deliveryId,
      message_id,
      channelId,
      after(30),
      after(present - 91),
      after(present - 90),
      JSON.stringify(error),
    ],
  );
  return deliveryId;
}
