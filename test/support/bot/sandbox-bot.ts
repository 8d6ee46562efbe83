// A bot on the sandbox's MAX and Telegram: a workspace that answers there, and people who write to it.

import { z } from 'zod';
import type { Sandbox } from '../../../sandbox/start.ts';
import type { Adapter } from '../../../src/adapters/adapter.ts';
import { applyWorkspace } from '../../../src/db/apply.ts';
import { runBotTurn, takeBotUpdate } from '../../../src/db/bot.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { hashOfSecret } from '../../../src/ingest/secret.ts';
import { start } from '../database/seed.ts';
import { sandboxTokens } from '../sandbox/sandbox-channels.ts';
import { shopRules } from './bot-chat.ts';

export const botPlatforms = ['max', 'telegram'] as const;
export type BotPlatform = (typeof botPlatforms)[number];

/** The secret that the platform sends with what it tells the workspace's bot. */
export function secretOf(workspaceId: string, platform: BotPlatform): string {
  return `secret-of-${platform}-${workspaceId}`;
}

/** A workspace with a bot on each platform. */
export async function addSandboxBot(
  client: Queryable,
  workspaceId: string,
  options: { readonly settings?: object; readonly rules?: object; readonly rateRps?: number } = {},
): Promise<void> {
  const each = <Value>(value: (platform: BotPlatform) => Value) =>
    Object.fromEntries(botPlatforms.map((platform) => [platform, value(platform)]));
  const document = {
    workspace: workspaceId,
    settings: options.settings ?? {},
    credentials: each((platform) => ({
      platform,
      secret_ref: `env:${platform.toUpperCase()}_TOKEN`,
    })),
    endpoints: each((platform) => ({
      kind: 'bot_webhook',
      secret_hash: hashOfSecret(secretOf(workspaceId, platform)),
      auth_ref: platform,
      ingress_rps: 10_000,
    })),
    rate_groups: each((platform) => ({ [platform]: { rate_rps: options.rateRps ?? 0 } })),
    alert_targets: { log: { kind: 'log' } },
    bot_rules: options.rules ?? shopRules,
  };
  await applyWorkspace(client, { document, prune: false, dryRun: false }, start);
}

/** Has both platforms bring what people write to the server at `url`. */
export async function subscribe(
  adapters: Readonly<Record<string, Adapter>>,
  workspaceId: string,
  url: string,
): Promise<void> {
  for (const platform of botPlatforms) {
    const webhook = { url: `${url}/v1/bot/${platform}`, secret: secretOf(workspaceId, platform) };
    const signal = AbortSignal.timeout(10_000);
    const done = await adapters[platform]?.webhooks?.subscribe(
      sandboxTokens[platform],
      webhook,
      signal,
    );
    if (done?.ok !== true) throw new Error(`no webhook for ${platform}: ${JSON.stringify(done)}`);
  }
}

/** Somebody who has a chat with the bot. */
export interface Person {
  readonly platform: BotPlatform;
  /** As the platform names it. */
  readonly chatId: string;
  write(text: string): void;
  /** Presses a button of the last message that has it. */
  press(payload: string): void;
  start(): void;
  /** What the chat shows of the bot, oldest first. */
  answers(): string[];
}

/** What somebody writes, with the bot's turn, for a test without a webhook. */
export async function hear(
  client: Queryable,
  workspaceId: string,
  { platform: provider, chatId }: Person,
  text: string,
): Promise<void> {
  const update = { chatId, providerMessageId: text, kind: 'message', text } as const;
  const key = { workspaceId, provider };
  await takeBotUpdate(client, { ...key, endpointId: provider, update, traceId: text });
  await runBotTurn(client, { ...key, chatId, providerMessageId: text });
}

let made = 5000;

export function addPerson(sandbox: Sandbox, platform: BotPlatform): Person {
  made += 1;
  const id = made;
  return platform === 'max' ? personOfMax(sandbox, id) : personOfTelegram(sandbox, id);
}

const botOfMax = 229_000_002;
const Dialog = z.object({ chat_id: z.number() });

function personOfMax({ max: { simulator } }: Sandbox, id: number): Person {
  simulator.control('users', { user_id: id, first_name: 'Аня' });
  const bot = botOfMax;
  const { chat_id: chat } = Dialog.parse(
    simulator.control('chats', { type: 'dialog', bot, user_id: id }),
  );
  const posts = () => simulator.chats().find((each) => each.chat === String(chat))?.posts ?? [];
  const asked = new Set<string>();
  return {
    platform: 'max',
    chatId: String(chat),
    write(text) {
      const { message_id: mid } = z
        .object({ message_id: z.string() })
        .parse(simulator.control('write', { chat_id: chat, user_id: id, text }));
      asked.add(mid);
    },
    press(payload) {
      const shown = posts().findLast(({ buttons }) => buttons.flat().some(has(payload)));
      simulator.control('press', { message_id: shown?.id ?? '', user_id: id, payload });
    },
    start: () => void simulator.control('start', { bot, user_id: id }),
    answers: () =>
      posts()
        .filter((each) => !asked.has(each.id))
        .map(({ text }) => text),
  };
}

function personOfTelegram({ telegram: { simulator } }: Sandbox, id: number): Person {
  simulator.control('chats', { id, type: 'private', first_name: 'Аня' });
  const posts = () => simulator.chats().find((each) => each.chat === String(id))?.posts ?? [];
  const asked = new Set<string>();
  const write = (text: string): void => {
    const { message_id: said } = z
      .object({ message_id: z.number() })
      .parse(simulator.control('say', { chat: id, text }));
    asked.add(String(said));
  };
  return {
    platform: 'telegram',
    chatId: String(id),
    write,
    press(payload) {
      const shown = posts().findLast(({ buttons }) => buttons.flat().some(has(payload)));
      simulator.control('press', { chat: id, message_id: Number(shown?.id), button: payload });
    },
    start: () => write('/start'),
    answers: () =>
      posts()
        .filter((each) => !asked.has(each.id))
        .map(({ text }) => text),
  };
}

function has(payload: string): (button: { readonly payload?: string }) => boolean {
  return (button) => button.payload === payload;
}
