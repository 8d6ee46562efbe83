import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { countMetrics } from '../../src/db/metrics.ts';
import { silentLog } from '../../src/log.ts';
import { metrics } from '../../src/metrics/catalogue.ts';
import { type Outrider, openOutrider } from '../../src/outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { request, send } from '../support/http/ingest.ts';
import { type ReadMetric, readMetricsText, valueIn } from '../support/http/metrics-text.ts';
import { metricsInFiles } from '../support/monitoring-files.ts';
import { emit, storedEvent } from '../support/outbox/outbox-events.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import { addSandboxChannels, sandboxSecrets, urlsOf } from '../support/sandbox/sandbox-channels.ts';
import { statusesOf } from '../support/sandbox/sandbox-posts.ts';

// A whole system that has done work, read by Prometheus, stopped, and started again.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
const secret = 'metrics-of-the-city';
const roles = ['ingest', 'dispatch', 'upkeep', 'publish'] as const;

let outrider: Outrider;
let first: string;
let read: ReadonlyMap<string, ReadMetric>;

async function start(given: Parameters<typeof openOutrider>[0] = {}): Promise<Outrider> {
  const opened = await openOutrider(
    {
      databaseUrl: database.url,
      apiUrls: urlsOf(sandbox),
      http: { port: 0 },
      dataDir: folder,
      secrets: { ...sandboxSecrets, METRICS_TOKEN: 'token-of-prometheus' },
      ...given,
    },
    { log: silentLog },
  );
  await opened.start(roles);
  return opened;
}

async function scrape({ url }: Outrider, headers = {}, query = ''): Promise<Response> {
  return fetch(`${url}/metrics${query}`, { headers });
}

async function textOf(of: Outrider, query = ''): Promise<string> {
  const response = await scrape(of, {}, query);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return response.text();
}

/** Waits until the process that counts has come past what was committed before. */
async function counted(): Promise<void> {
  const since = new Date();
  await vi.waitFor(
    async () => {
      const { countedTo } = await countMetrics(database.service);
      expect(countedTo?.getTime()).toBeGreaterThanOrEqual(since.getTime());
    },
    { timeout: 20_000, interval: 20 },
  );
}

beforeAll(work, 60_000);

/** Posts, an event, and what a bot and a source have left in the database; then the first scrape. */
async function work(): Promise<void> {
  const counts = { telegram: 1, max: 1, vk: 1 };
  await addSandboxChannels(database.admin, sandbox, { workspaceId: 'city', counts });
  await addEndpoint(database.admin, 'city', secret, { ingress_rps: 1000 });
  await database.admin.query(
    `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, enabled, created_at)
     values ('city', 'feed', 'rss', '{"url": "https://example.test/feed", "every": "never"}', true, now())`,
  );
  await database.admin.query(
    "update outrider.pull_cursors set pulled_at = now() where workspace_id = 'city'",
  );
  await database.admin.query(
    `insert into outrider.bot_logs (workspace_id, id, ts, provider, chat_id, action, state_before, state_after)
     select 'city', gen_random_uuid(), now(), 'max', 'chat', x.action, 'default', 'default'
     from unnest(array['matched', 'fell_back', 'retry']) as x (action)`,
  );
  outrider = await start();
  for (const text of ['Lost: Bim', 'Found: Bim']) {
    expect((await send({ url: outrider.url ?? '' }, secret, { text })).status).toBe(202);
  }
  expect((await send({ url: outrider.url ?? '' }, secret, '{ nonsense')).status).toBe(400);
  await outrider.enqueue('city', { text: 'Found: a ginger cat' }); // no push claims it
  const event = await emit(database.service);
  await vi.waitFor(
    async () => {
      expect(await statusesOf(database.admin, 'city')).toEqual({ sent: 9 });
      expect((await storedEvent(database.admin, event))?.published_at).not.toBeNull();
    },
    { timeout: 30_000, interval: 50 },
  );
  await counted();
  // The process learns of a commit a moment after the database has it.
  await vi.waitFor(async () => {
    first = await textOf(outrider);
    const ended = first.match(/^outrider_delivery_duration_seconds_count\{.*\} 3$/gm);
    expect(ended).toHaveLength(3);
  }, 10_000);
  read = readMetricsText(first);
}

afterAll(() => outrider.stop());

describe('/metrics of a system that has done work', () => {
  it('counts what was taken in and what became of it', () => {
    const city = { workspace: 'city' };
    expect(valueIn(read, 'outrider_posts_total', { ...city, verdict: 'accepted' })).toBe(3);
    expect(valueIn(read, 'outrider_posts_total', { ...city, verdict: 'rejected' })).toBe(1);
    expect(valueIn(read, 'outrider_deliveries_queued_total', city)).toBe(9);
    const ofTelegram = { ...city, platform: 'telegram' };
    expect(valueIn(read, 'outrider_deliveries_total', { ...ofTelegram, outcome: 'sent' })).toBe(3);
    expect(valueIn(read, 'outrider_outbox_events_total', { outcome: 'published' })).toBe(1);
    expect(valueIn(read, 'outrider_database_up')).toBe(1);
  });

  it('measures sends, claims, commits, intake and the way from push to sent', () => {
    for (const [name, labels, times] of [
      ['outrider_send_duration_seconds', { platform: 'max', result: 'sent' }, 3],
      ['outrider_delivery_duration_seconds', { platform: 'max' }, 3],
      ['outrider_intake_duration_seconds', { verdict: 'kept' }, 2],
    ] as const) {
      const sample = read
        .get(name)
        ?.samples.filter((each) => each.name === `${name}_count`)
        .find(({ labels: own }) =>
          Object.entries(labels).every(([label, value]) => own[label] === value),
        );
      expect([name, sample?.value]).toEqual([name, times]);
    }
    expect(read.get('outrider_claim_duration_seconds')?.samples.length).toBeGreaterThan(0);
    expect(read.get('outrider_commit_duration_seconds')?.samples.length).toBeGreaterThan(0);
    expect(read.get('outrider_outbox_publish_duration_seconds')?.samples.length).toBeGreaterThan(0);
  });

  it('has each metric as the catalogue says, with no other labels', () => {
    const known = new Map(metrics.map((each) => [each.name, each]));
    for (const [name, { type, help, samples }] of read) {
      const metric = known.get(name);
      expect([name, type, help]).toEqual([name, metric?.type, metric?.help]);
      for (const { labels } of samples) {
        const { le: _, ...own } = labels;
        expect([name, Object.keys(own).toSorted()]).toEqual([name, metric?.labels.toSorted()]);
      }
    }
  });

  it('has every metric that the dashboard and the rules of monitoring/ name', () => {
    // A bot would have to answer.
    const rare = ['outrider_bot_replies_waiting', 'outrider_bot_reply_duration_seconds'];
    expect(metricsInFiles().filter((name) => !read.has(name))).toEqual(rare);
    const names = metrics.map((each) => each.name);
    expect(names).toEqual(expect.arrayContaining(rare));
  });

  it('names no post, no chat and no secret', () => {
    for (const hidden of ['Bim', secret, '-100100', ...Object.values(sandboxSecrets)]) {
      expect(first).not.toContain(hidden);
    }
  });

  it('passes promtool, where it is installed', ({ skip }) => {
    const judged = spawnSync('promtool', ['check', 'metrics'], { input: first, encoding: 'utf8' });
    if (judged.error !== undefined) skip('promtool is not installed');
    expect(`${judged.stdout}${judged.stderr}`).toBe('');
    expect(judged.status).toBe(0);
  });

  it('shows a part of them to who asks for it', async () => {
    const ofProcess = readMetricsText(await textOf(outrider, '?source=process'));
    const ofDatabase = readMetricsText(await textOf(outrider, '?source=database'));
    expect([...ofProcess.keys()].filter((name) => ofDatabase.has(name))).toEqual([]);
    expect(ofProcess.size + ofDatabase.size).toBe(read.size);
    expect((await scrape(outrider, {}, '?source=elsewhere')).status).toBe(400);
  });

  it('is shown to this machine, and not to whom a proxy passes on', async () => {
    const passedOn = await request(`${outrider.url}/metrics`, {
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
    expect(passedOn.status).toBe(403);
    expect(passedOn.body).toMatchObject({ error: { code: 'not_from_here' } });
  });
});

describe('/metrics after a restart', () => {
  it('goes on with the counters of the database, and begins with those of the process', async () => {
    await outrider.stop();
    outrider = await start();
    await counted();
    const again = readMetricsText(await textOf(outrider));
    const counters = metrics.filter(
      ({ type, source }) => type === 'counter' && source === 'database',
    );
    for (const { name } of counters) {
      const before = read.get(name)?.samples ?? [];
      for (const { labels, value } of before) {
        expect([name, labels, valueIn(again, name, labels)]).toEqual([name, labels, value]);
      }
    }
    expect(valueIn(read, 'outrider_deliveries_total', { platform: 'max', outcome: 'sent' })).toBe(
      3,
    );
    expect(again.get('outrider_delivery_duration_seconds')).toBeUndefined();
  });

  it('is shown only for the token where there is one, and not at all where it is off', async () => {
    await outrider.stop();
    outrider = await start({ metrics: { access: 'local', tokenRef: 'env:METRICS_TOKEN' } });
    const asked = async (token?: string): Promise<number> => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await scrape(outrider, headers)).status;
    };
    expect([await asked(), await asked('wrong'), await asked('token-of-prometheus')]).toEqual([
      401, 401, 200,
    ]);
    await outrider.stop();
    outrider = await start({ metrics: { access: 'off', tokenRef: undefined } });
    expect((await scrape(outrider)).status).toBe(404);
  });
});
