// How a peer's handler sends a post: it makes the same request as Outrider's adapter, with the same client, and reads
// the answer.

import { Agent } from 'undici';
import type { Work } from '../contender.ts';
import { botToken, chatCount, chatId, textOf } from './bot.ts';

export interface Caller {
  readonly send: Work;
  close(): Promise<void>;
}

export function openCaller(origin: string): Caller {
  const agent = new Agent();
  const path = `/bot${botToken}/sendMessage`;
  const headers = { 'content-type': 'application/json' };
  return {
    async send(post) {
      const body = JSON.stringify({
        chat_id: chatId((post.id % chatCount) + 1),
        text: textOf(post),
      });
      const answer = await agent.request({ origin, path, method: 'POST', headers, body });
      const told: { ok?: unknown } = await answer.body.json().then(asObject);
      if (told.ok !== true) throw new Error(`the provider answered with ${answer.statusCode}`);
    },
    close: () => agent.close(),
  };
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
