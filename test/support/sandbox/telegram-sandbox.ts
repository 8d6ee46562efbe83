import { Api } from 'grammy';
import { z } from 'zod';
import { type MovableClock, movableClock } from '../../../sandbox/clock.ts';
import { type SandboxServer, startServer } from '../../../sandbox/server.ts';
import type { PostView } from '../../../sandbox/simulator.ts';
import { createTelegram } from '../../../sandbox/telegram/telegram.ts';

export const token = '4200:AAfirst-bot-secret';
export const otherToken = '4300:AAother-bot-secret';

/** One chat of each type. */
export const user = 501;
export const group = -77;
export const supergroup = -1_000_000_000_701;
export const channel = -1_000_000_000_702;

const Answer = z.looseObject({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.number().optional(),
  description: z.string().optional(),
});

export type TelegramAnswer = z.infer<typeof Answer>;

/** The words of a refusal, or the result of a success. */
export function words(answer: TelegramAnswer): unknown {
  return answer.ok ? answer.result : `${answer.error_code} ${answer.description}`;
}

export interface TelegramSandbox extends SandboxServer {
  readonly clock: MovableClock;
  /** grammY's client, which we did not write. */
  readonly api: Api;
  /** Calls a method with a JSON body. */
  call(method: string, parameters?: object, as?: string): Promise<TelegramAnswer>;
  /** Calls a method; answers with the words of the refusal, or with the result. */
  words(method: string, parameters?: object, as?: string): Promise<unknown>;
  /** What a chat shows. */
  posts(chat: number): readonly PostView[];
  order(name: string, body: object): unknown;
  /** A person writes into the chat; answers with the ids of the chat and of the message. */
  say(chat: number, text: string): { readonly chat_id: number; readonly message_id: number };
}

const Said = z.object({ message_id: z.number() });

/** A simulated Telegram with two bots and a chat of each type. It has no limits, unless `limited` is set. */
export async function startTelegram(options: { limited?: boolean } = {}): Promise<TelegramSandbox> {
  const clock = movableClock(Date.UTC(2026, 0, 1));
  const server = await startServer({ create: createTelegram, clock });
  const order = (name: string, body: object) => server.simulator.control(name, body);
  order('bots', { token, username: 'first_bot' });
  order('bots', { token: otherToken, username: 'other_bot' });
  order('chats', { id: user, type: 'private', first_name: 'Anna' });
  order('chats', { id: group, type: 'group', title: 'Neighbours' });
  order('chats', { id: supergroup, type: 'supergroup', title: 'Town', username: 'town' });
  order('chats', { id: channel, type: 'channel', title: 'News', username: 'news_here' });
  if (options.limited !== true) order('limits', { chat: null, group: null, bot: null });
  const call = async (method: string, parameters: object = {}, as = token) => {
    const answer = await fetch(`${server.url}/bot${as}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
    });
    return Answer.parse(await answer.json());
  };
  return {
    ...server,
    clock,
    order,
    call,
    say: (chat, text) => ({ chat_id: chat, ...Said.parse(order('say', { chat, text })) }),
    api: new Api(token, { apiRoot: server.url }),
    words: async (method, parameters, as) => words(await call(method, parameters, as)),
    posts: (chat) =>
      server.simulator.chats().find((each) => each.chat === String(chat))?.posts ?? [],
  };
}

/** The head of a PNG with that width and height, padded to `size` bytes. */
export function png(width: number, height: number, size = 100): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
  bytes.writeUInt32BE(13, 8);
  bytes.write('IHDR', 12, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
