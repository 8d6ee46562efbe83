// Telegram for the conformance suite: a bot that is an administrator of a channel.

import { z } from 'zod';
import type { SandboxRequest, Simulator } from '../../sandbox/simulator.ts';
import { createTelegram } from '../../sandbox/telegram/telegram.ts';
import { createTelegramAdapter } from '../../src/adapters/telegram/adapter.ts';
import type { Harness } from './harness.ts';

export const channel = -1_000_000_000_702;
export const group = -77;
export const supergroup = -1_000_000_000_701;

const NoPreview = z.object({ link_preview_options: z.object({ is_disabled: z.literal(true) }) });

export const telegramHarness: Harness = {
  title: 'Telegram',
  createSimulator: createTelegram,
  createAdapter: (options) =>
    createTelegramAdapter({ ...options, uploadTimeoutMs: options.timeoutMs }),
  token: '4200:AAcanary-of_the-suite-C4naryC4naryC4nary',
  account: 'bot @suite_bot (4200)',
  wrongToken: '4201:AAnobody-knows_this-N0bodyN0bodyN0body',
  populate,
  methods: {
    sendText: 'sendMessage',
    sendMedium: 'sendPhoto',
    sendAlbum: 'sendMediaGroup',
    editText: 'editMessageText',
    remove: 'deleteMessage',
  },
  abilities: {
    formats: [
      {
        format: 'HTML',
        text: '<b>Пропал</b> <a href="https://example.org/dog?a=1&amp;b=2">рыжий</a> пёс &lt;Бим&gt;',
        read: 'Пропал рыжий пёс <Бим>',
        html: '<b>Пропал</b> <a href="https://example.org/dog?a=1&amp;b=2" rel="noreferrer">рыжий</a> пёс &lt;Бим&gt;',
      },
      {
        format: 'Markdown',
        text: '*Пропал* _рыжий_ пёс\\. [Где\\?](https://example.org/map) __Бим__',
        read: 'Пропал рыжий пёс. Где? Бим',
        html: '<b>Пропал</b> <i>рыжий</i> пёс. <a href="https://example.org/map" rel="noreferrer">Где?</a> <u>Бим</u>',
      },
    ],
    buttons: true,
    mediaByLink: true,
    asksForNoPreview: ({ json }: SandboxRequest) => NoPreview.safeParse(json).success,
    countsAlbumItems: true,
    afterUnknown: 'twice',
    waits: { told: true, untoldMs: 5000 },
    unknownFileId: 'AgACAgIAAxkBAAIBUW5vYm9keS1rbm93cy10aGlzLWZpbGUE',
  },
  falseAnswers: [
    '{"ok":true,"result":{}}',
    '{"ok":true,"result":true}',
    '{"ok":true,"result":{"message_id":"12"}}',
    '{"ok":true,"result":{"message_id":0}}',
    '{"ok":true,"result":{"message_id":-4}}',
    '{"ok":true,"result":{"message_id":1.5}}',
    '{"ok":true,"result":{"message_id":1e308}}',
    '{"ok":true,"result":{"message_id":9007199254740993}}',
    '{"ok":true,"result":[{"message_id":12}]}',
    '{"ok":"true","result":{"message_id":12}}',
    '{"result":{"message_id":12}}',
    '{"ok":false}',
    '{"ok":false,"result":{"message_id":12}}',
    '{"ok":false,"error_code":"400","description":"Bad Request: chat not found"}',
    '{"ok":false,"error_code":0,"description":"Bad Request: chat not found"}',
    '{"ok":false,"error_code":1e99,"description":"x"}',
    '{"ok":false,"error_code":400,"description":{"text":"x"}}',
  ],
};

function populate(simulator: Simulator) {
  const order = (name: string, body: object) => simulator.control(name, body);
  order('bots', { token: telegramHarness.token, username: 'suite_bot' });
  order('chats', { id: channel, type: 'channel', title: 'News', username: 'news_here' });
  order('chats', { id: group, type: 'group', title: 'Neighbours' });
  order('chats', { id: supergroup, type: 'supergroup', title: 'Town', topics: { 7: 'open' } });
  order('limits', { chat: null, group: null, bot: null });
  return { targetId: String(channel), unknownTargetId: '-1000000000999' };
}
