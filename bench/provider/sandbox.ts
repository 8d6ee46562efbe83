// The sandbox's Telegram, without its hidden limits and with the chats of the bench.

import { runningClock } from '../../sandbox/clock.ts';
import { startServer } from '../../sandbox/server.ts';
import { createTelegram } from '../../sandbox/telegram/telegram.ts';
import { botToken, chatCount, chatId, chatTitle } from './bot.ts';
import type { OnPost } from './protocol.ts';

export async function startTelegram(onPost: OnPost): Promise<string> {
  const { url, simulator } = await startServer({
    clock: runningClock(),
    create(context) {
      const telegram = createTelegram(context);
      return {
        ...telegram,
        handle(request) {
          onPost(JSON.stringify(request.json));
          return telegram.handle(request);
        },
      };
    },
  });
  simulator.control('limits', { chat: null, group: null, bot: null });
  simulator.control('bots', { token: botToken, username: 'bench_bot' });
  for (let number = 1; number <= chatCount; number += 1) {
    const id = Number(chatId(number));
    simulator.control('chats', { id, type: 'channel', title: chatTitle(id) });
  }
  return url;
}
