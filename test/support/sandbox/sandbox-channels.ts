// Channels on three platforms: chats in the sandbox, and a workspace that posts to them.

import type { Sandbox } from '../../../sandbox/start.ts';
import type { Adapter } from '../../../src/adapters/adapter.ts';
import { createMaxAdapter } from '../../../src/adapters/max/adapter.ts';
import { createTelegramAdapter } from '../../../src/adapters/telegram/adapter.ts';
import { createVkAdapter } from '../../../src/adapters/vk/adapter.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { createDeliver, type Deliver, type DeliverOptions } from '../../../src/dispatch/deliver.ts';
import { createTransport, type Transport } from '../../../src/http/transport.ts';
import { folderStore } from '../../../src/media/folder-store.ts';
import { createSecrets } from '../../../src/secrets.ts';
import { addChannel, addWorkspace, start } from '../database/seed.ts';
import { type Platform, platforms } from './three-platforms.ts';

export const sandboxTokens: Readonly<Record<Platform, string>> = {
  telegram: '4200:AAcanary-of_the-fleet-C4naryC4naryC4nary',
  max: 'canary-token-of-the-fleet',
  vk: 'vk1.a.canary-token-of-the-fleet',
};

export interface SandboxChannel {
  readonly channelId: string;
  readonly platform: Platform;
  readonly targetId: string;
}

export interface SandboxChannelsOptions {
  readonly workspaceId: string;
  readonly counts: Partial<Record<Platform, number>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Columns of every channel. */
  readonly columns?: Readonly<Record<string, unknown>>;
}

const vkAdmin = 100;
const firstTargets: Readonly<Record<Platform, number>> = {
  telegram: -1_001_000_000_000,
  max: -70_000_000_000_000,
  vk: -200_000_000,
};
let made = 0;

/** Adds a workspace with credentials, channels and chats. A second one in the same sandbox gets other chats. */
export async function addSandboxChannels(
  admin: Queryable,
  sandbox: Pick<Sandbox, Platform>,
  options: SandboxChannelsOptions,
): Promise<SandboxChannel[]> {
  const { workspaceId, counts, columns = {} } = options;
  await addWorkspace(admin, workspaceId, options.settings);
  const channels: SandboxChannel[] = [];
  for (const platform of platforms) {
    await bind(admin, workspaceId, platform);
    for (let n = 1; n <= (counts[platform] ?? 0); n += 1) {
      made += 1;
      const targetId = String(firstTargets[platform] - made);
      const channelId = `${platform}-${n}`;
      addChat(sandbox, platform, targetId, channelId);
      const own = { platform, target_id: targetId, auth_ref: platform, rate_group: platform };
      await addChannel(admin, workspaceId, channelId, { ...own, ...columns });
      channels.push({ channelId, platform, targetId });
    }
  }
  return channels;
}

/** Adds the bots and people that all channels are posted to by. Call it once for each sandbox. */
export function addSenders({ telegram, max, vk }: Pick<Sandbox, Platform>): void {
  telegram.simulator.control('bots', { token: sandboxTokens.telegram, username: 'fleet_bot' });
  max.simulator.control('bots', {
    token: sandboxTokens.max,
    user_id: 229_000_002,
    first_name: 'Fleet',
  });
  vk.simulator.control('users', { id: vkAdmin });
  vk.simulator.control('tokens', { kind: 'user', token: sandboxTokens.vk, user_id: vkAdmin });
}

export function addChat(
  sandbox: Pick<Sandbox, Platform>,
  platform: Platform,
  targetId: string,
  title: string,
): void {
  const { simulator } = sandbox[platform];
  const id = Number(targetId);
  if (platform === 'telegram') simulator.control('chats', { id, type: 'channel', title });
  if (platform === 'max') simulator.control('chats', { type: 'channel', chat_id: id, title });
  if (platform === 'vk')
    simulator.control('communities', { id: -id, name: title, admins: [vkAdmin] });
}

async function bind(admin: Queryable, workspaceId: string, platform: Platform): Promise<void> {
  await admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ($1, $2, $2, $3, $4)`,
    [workspaceId, platform, `env:${platform.toUpperCase()}_TOKEN`, start],
  );
}

/** The environment that the secret references of the credentials name. */
export const sandboxSecrets = {
  TELEGRAM_TOKEN: sandboxTokens.telegram,
  MAX_TOKEN: sandboxTokens.max,
  VK_TOKEN: sandboxTokens.vk,
};

/** Adapters that call the sandbox over real sockets. */
export function sandboxAdapters(
  transport: Transport,
  urls: Readonly<Record<Platform, string>>,
  {
    timeoutMs,
    now,
  }: {
    /** For every call, and for uploads too. */
    readonly timeoutMs?: number | undefined;
    readonly now?: (() => Date) | undefined;
  } = {},
): Readonly<Record<Platform, Adapter>> {
  const patience = { timeoutMs, uploadTimeoutMs: timeoutMs, now };
  return {
    telegram: createTelegramAdapter({ transport, baseUrl: urls.telegram, ...patience }),
    max: createMaxAdapter({ transport, baseUrl: urls.max, timeoutMs, now }),
    vk: createVkAdapter({ transport, baseUrl: urls.vk, ...patience }),
  };
}

/** Sends deliveries to the sandbox, for a test that runs without roles. */
export function sandboxDeliver(
  client: Queryable,
  urls: Readonly<Record<Platform, string>>,
  {
    folder = '/nonexistent',
    time = {},
  }: {
    readonly folder?: string;
    /** A clock in place of the machine's. */
    readonly time?: Pick<DeliverOptions, 'now' | 'wait'>;
  } = {},
): { deliver: Deliver; close: () => Promise<void> } {
  const transport = createTransport();
  const deliver = createDeliver({
    client,
    adapters: sandboxAdapters(transport, urls, { now: time.now }),
    secrets: createSecrets(sandboxSecrets),
    store: folderStore(folder),
    ...time,
  });
  return { deliver, close: () => transport.close() };
}

export function urlsOf(sandbox: Pick<Sandbox, Platform>): Record<Platform, string> {
  return { telegram: sandbox.telegram.url, max: sandbox.max.url, vk: sandbox.vk.url };
}

/** The texts that a channel's chat shows, oldest first. */
export function textsOf(sandbox: Pick<Sandbox, Platform>, channel: SandboxChannel): string[] {
  const chats = sandbox[channel.platform].simulator.chats();
  const chat = chats.find((each) => each.chat === channel.targetId);
  return (chat?.posts ?? []).map((each) => each.text);
}
