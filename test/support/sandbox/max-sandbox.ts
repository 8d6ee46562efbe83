// A simulated MAX with one bot, called by MAX's official client or by plain HTTP.

import { Bot } from '@maxhub/max-bot-api';
import { type MovableClock, movableClock } from '../../../sandbox/clock.ts';
import { createMax } from '../../../sandbox/max/max.ts';
import { type SandboxServer, startServer } from '../../../sandbox/server.ts';
import type { ChatView } from '../../../sandbox/simulator.ts';

export const token = 'f9LHodD0cOJ-token';
export const botId = 229_229_229;
export const userId = 123_456_789;
export const dialogId = 182_182_182;
export const groupId = -70_000_000_000_005;
export const channelId = -70_000_000_000_006;

/** Wednesday, 1 April 2026, 06:57:51.403 UTC: the time of a message in MAX's own fixtures. */
export const start = 1_775_026_671_403;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the text is not JSON. */
  readonly json: unknown;
}

export interface MaxSandbox {
  readonly clock: MovableClock;
  readonly server: SandboxServer;
  /** MAX's official client. */
  readonly bot: Bot;
  control(name: string, body?: object): Record<string, unknown>;
  /** A call of the bot by plain HTTP. `headers` replace those of the bot. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<HttpAnswer>;
  /** What the chat shows. */
  posts(chat: number): ChatView['posts'];
  close(): Promise<void>;
}

/** Starts MAX with the bot in a dialog, a group and a public channel. */
export async function startMax(): Promise<MaxSandbox> {
  const clock = movableClock(start);
  const server = await startServer({ create: createMax, clock });
  const order = (name: string, body: object = {}): unknown => server.simulator.control(name, body);
  const control = (name: string, body?: object) => Object.fromEntries(entriesOf(order(name, body)));
  control('bots', { token, user_id: botId, first_name: 'UniBot', username: 'unit_bot' });
  control('users', { user_id: userId, first_name: 'John', last_name: 'Doe' });
  control('chats', { type: 'dialog', chat_id: dialogId, user_id: userId });
  control('chats', { type: 'chat', chat_id: groupId, title: 'Group' });
  control('chats', { type: 'channel', chat_id: channelId, title: 'News', link: 'news' });
  return {
    clock,
    server,
    bot: new Bot(token, { clientOptions: { baseUrl: server.url } }),
    control,
    call: (...call) => callOver(server.url, ...call),
    posts: (chat) =>
      server.simulator.chats().find((each) => each.chat === String(chat))?.posts ?? [],
    close: () => server.close(),
  };
}

function entriesOf(answer: unknown): [string, unknown][] {
  return typeof answer === 'object' && answer !== null ? Object.entries(answer) : [];
}

async function callOver(
  base: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { authorization: token },
): Promise<HttpAnswer> {
  const init =
    body === undefined
      ? { method, headers }
      : {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        };
  const answer = await fetch(new URL(path, base), init);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The field of an answer at that path, as text. */
export function textAt(json: unknown, ...path: string[]): string {
  let value = json;
  for (const name of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }
  return String(value);
}

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const mp4 = Buffer.from('00000018667479706d703432', 'hex');

/** Bytes that begin like the format, but are no real file. */
export function image(rest = ''): Buffer {
  return Buffer.concat([png, Buffer.from(rest)]);
}

export function video(rest = ''): Buffer {
  return Buffer.concat([mp4, Buffer.from(rest)]);
}
