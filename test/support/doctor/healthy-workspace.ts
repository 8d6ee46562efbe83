// A workspace in which the doctor finds nothing: a channel on each platform, an endpoint, a source, a bot, an alert
// target, and a process that runs every role.

import { randomUUID } from 'node:crypto';
import type { Sandbox } from '../../../sandbox/start.ts';
import { applyWorkspace } from '../../../src/db/apply.ts';
import { ensureEventPartitions } from '../../../src/db/events.ts';
import { beat } from '../../../src/db/monitor.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { ownVersion } from '../../../src/own-version.ts';
import { roleNames } from '../../../src/roles/roles.ts';
import { hashOf } from '../database/configuration.ts';
import { addChat, addSenders, sandboxSecrets, sandboxTokens } from '../sandbox/sandbox-channels.ts';
import { liftLimits } from '../sandbox/sandbox-posts.ts';
import { type Platform, platforms } from '../sandbox/three-platforms.ts';

const targets: Readonly<Record<Platform, string>> = {
  telegram: '-1001000000901',
  max: '-70000000000901',
  vk: '-200000901',
};

/** What the services have in their environment. */
export function environmentOf(
  databaseUrl: string,
  sandbox: Pick<Sandbox, 'apiUrls'>,
  { dataDir, feedUrl }: { readonly dataDir: string; readonly feedUrl: string },
): Record<string, string> {
  const urls = Object.entries(sandbox.apiUrls).map(
    ([name, url]) => [`${name.toUpperCase()}_API_URL`, url] as const,
  );
  return {
    DATABASE_URL: databaseUrl,
    OUTRIDER_DATA_DIR: dataDir,
    OUTRIDER_MEDIA_PRIVATE_HOSTS: new URL(feedUrl).host,
    PUSH_SECRET: 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=',
    ...sandboxSecrets,
    ...Object.fromEntries(urls),
  };
}

export async function addHealthyWorkspace(
  client: Queryable,
  sandbox: Sandbox,
  feedUrl: string,
): Promise<void> {
  addSenders(sandbox);
  liftLimits(sandbox);
  for (const platform of platforms) addChat(sandbox, platform, targets[platform], 'News');
  await subscribe(sandbox);
  const credential = (platform: Platform) => ({
    platform,
    secret_ref: `env:${platform.toUpperCase()}_TOKEN`,
  });
  const channel = (platform: Platform) => ({
    platform,
    target_id: targets[platform],
    auth_ref: platform,
    template_ref: 'card',
  });
  const document = {
    workspace: 'city',
    name: 'City news',
    endpoints: {
      push: {
        kind: 'webhook_push',
        secret_hash: hashOf('push'),
        signing_secret_ref: 'env:PUSH_SECRET',
      },
      bot: { kind: 'bot_webhook', secret_hash: hashOf('bot'), auth_ref: 'telegram' },
    },
    credentials: Object.fromEntries(platforms.map((each) => [each, credential(each)])),
    templates: { card: { body: '{{text}}' } },
    channels: Object.fromEntries(platforms.map((each) => [`${each}-news`, channel(each)])),
    pull_sources: { feed: { kind: 'rss', config: { url: feedUrl } } },
    alert_targets: { log: { kind: 'log' } },
  };
  await applyWorkspace(client, { document, prune: false, dryRun: false });
  await ensureEventPartitions(client, 7);
  await giveSignOfLife(client);
}

async function subscribe({ telegram }: Sandbox): Promise<void> {
  telegram.simulator.control('settings', { strict_webhooks: false });
  const answer = await fetch(`${telegram.url}/bot${sandboxTokens.telegram}/setWebhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://bot.example.org/v1/bot/telegram' }),
  });
  if (!answer.ok) throw new Error(`the webhook was not taken: ${await answer.text()}`);
}

/** Of a process that runs every role. It counts for half an hour, however slow the test is. */
async function giveSignOfLife(client: Queryable): Promise<void> {
  const service = { host: 'one', pid: 42, version: ownVersion(), roles: roleNames };
  const serviceId = randomUUID();
  const at = new Date(Date.now() + 30 * 60_000).toISOString();
  await beat(client, { ...service, serviceId, ready: true, facts: {} }, at);
}
