// Many people write at once: updates are posted to the webhook as fast as it takes them, until every answer has reached
// the provider.

import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { z } from 'zod';
import { startSending } from '../latency/start-sending.ts';
import { machineMicros } from '../provider/protocol.ts';
import { startProvider } from '../provider/provider.ts';
import { percentile } from '../statistics.ts';
import { installBot, question, secret } from './workspace.ts';

export const messages = 5000;
export const chats = 500;
/** Webhook calls at once, of different chats: a platform waits for one before it makes the next of the same chat. */
const callsAtOnce = 64;
/** Before the measurement: code is compiled, connections are open, plans are made. */
const unmeasured = 500;

export interface Flood {
  /** Until the endpoint has taken the last message. */
  readonly takenPerSecond: number;
  /** Until the provider has the last answer. */
  readonly answeredPerSecond: number;
  /** From before the webhook call to the arrival of the answer at the provider, milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const Sent = z.object({ chat_id: z.coerce.string(), text: z.string() });

export async function flood(databaseUrl: string, rules: number): Promise<Flood> {
  await installBot(databaseUrl, rules);
  const provider = await startProvider('answerer');
  const sending = await startSending('outrider-bot', databaseUrl, provider.url);
  const agent = new Agent({ connections: callsAtOnce });
  const take = (number: number) => post(agent, sending.url ?? '', number);
  try {
    for (let number = 0; number < unmeasured; number += 1) await take(-1 - number);
    await arrived(provider, unmeasured);
    await provider.keep();
    const startedAt = machineMicros();
    const askedAt = await askAll(take);
    const takenAt = machineMicros();
    await arrived(provider, unmeasured + messages);
    return findingsOf(await provider.kept(), { startedAt, takenAt, askedAt });
  } finally {
    await agent.close();
    await sending.stop();
    await provider.close();
  }
}

/** When each question was asked. Each chat asks one after the other. */
async function askAll(take: (number: number) => Promise<void>): Promise<number[]> {
  const askedAt: number[] = [];
  const rounds = messages / chats;
  let chat = 0;
  const callers = Array.from({ length: callsAtOnce }, async () => {
    while (chat < chats) {
      const mine = chat;
      chat += 1;
      for (let round = 0; round < rounds; round += 1) {
        const number = round * chats + mine;
        askedAt[number] = machineMicros();
        await take(number);
      }
    }
  });
  await Promise.all(callers);
  return askedAt;
}

async function post(agent: Agent, origin: string, number: number): Promise<void> {
  const chat = 1_000_000 + (number < 0 ? chats - number : number % chats);
  const update = {
    update_id: unmeasured + number,
    message: {
      message_id: number < 0 ? 1 : 1 + Math.floor(number / chats),
      date: Math.floor(Date.now() / 1000),
      chat: { id: chat, type: 'private' },
      from: { id: chat, is_bot: false, first_name: 'Аня' },
      text: question(number < 0 ? -number : number),
    },
  };
  const answer = await agent.request({
    origin,
    path: '/v1/bot/telegram',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
    body: JSON.stringify(update),
  });
  const told = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`not taken: ${told}`);
}

async function arrived(provider: { count(): Promise<{ posts: number }> }, posts: number) {
  for (const deadline = Date.now() + 120_000; ; await delay(20)) {
    const { posts: there } = await provider.count();
    if (there >= posts) return;
    if (Date.now() > deadline) throw new Error(`${there} of ${posts} answers arrived`);
  }
}

interface Times {
  readonly startedAt: number;
  readonly takenAt: number;
  readonly askedAt: readonly number[];
}

/** Fails if an answer is missing, comes twice, or comes before an earlier one of its chat. */
function findingsOf(
  kept: readonly { readonly body: string; readonly at: number }[],
  { startedAt, takenAt, askedAt }: Times,
): Flood {
  const lastOfChat = new Map<string, number>();
  const seen = new Set<number>();
  const millis = kept.map(({ body, at }) => {
    const { chat_id: chat, text } = Sent.parse(JSON.parse(body));
    const number = Number(/Вопрос (\d+)$/.exec(text)?.[1]);
    if (seen.has(number)) throw new Error(`question ${number} was answered twice`);
    seen.add(number);
    if ((lastOfChat.get(chat) ?? -1) >= number) throw new Error(`chat ${chat} is out of order`);
    lastOfChat.set(chat, number);
    return (at - (askedAt[number] ?? Number.NaN)) / 1000;
  });
  if (seen.size !== messages) throw new Error(`${seen.size} of ${messages} were answered`);
  const last = Math.max(...kept.map(({ at }) => at));
  return {
    takenPerSecond: messages / ((takenAt - startedAt) / 1e6),
    answeredPerSecond: messages / ((last - startedAt) / 1e6),
    p50: percentile(millis, 50),
    p99: percentile(millis, 99),
  };
}
