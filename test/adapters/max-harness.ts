// MAX for the conformance suite: a bot that is an admin of a group.

import { createMax } from '../../sandbox/max/max.ts';
import type { Simulator } from '../../sandbox/simulator.ts';
import { createMaxAdapter } from '../../src/adapters/max/adapter.ts';
import type { Harness } from './harness.ts';

export const botId = 229_229_229;
export const personId = 123_456_789;
export const dialog = 182_182_182;
export const group = -70_000_000_000_005;
export const channel = -70_000_000_000_006;

const sent = (message: string) => `{"message":${message}}`;

export const maxHarness: Harness = {
  title: 'MAX',
  createSimulator: createMax,
  createAdapter: (options) => createMaxAdapter(options),
  token: 'f9LHodD0cOJ-canary_of-the-suite_C4naryC4naryC4nary',
  account: `bot UniBot (${botId})`,
  wrongToken: 'f9LHodD0cOJ-nobody_knows-this_N0bodyN0bodyN0body',
  populate,
  methods: {
    sendText: 'POST /messages',
    sendMedium: 'POST /messages',
    sendAlbum: 'POST /messages',
    upload: 'POST /upload.do',
    editText: 'PUT /messages',
    remove: 'DELETE /messages',
  },
  abilities: {
    formats: [
      {
        format: 'HTML',
        text: '<b>Пёс</b> &lt;рыжий&gt; <a href="https://example.org/?a=1&amp;b=2">тут</a>',
        read: 'Пёс <рыжий> тут',
        html: '<b>Пёс</b> &lt;рыжий&gt; <a href="https://example.org/?a=1&amp;b=2">тут</a>',
      },
      {
        format: 'Markdown',
        text: '**Пёс** _рыжий_ [тут](https://example.org/)',
        read: 'Пёс рыжий тут',
        html: '<b>Пёс</b> <i>рыжий</i> <a href="https://example.org/">тут</a>',
      },
    ],
    buttons: true,
    mediaByLink: true,
    asksForNoPreview: ({ query }) => query.get('disable_link_preview') === 'true',
    countsAlbumItems: false,
    afterUnknown: 'once',
    waits: { told: true, untoldMs: 1000 },
    unknownFileId: 'b2xkLXRva2VuLW9mLWFuLXVwbG9hZC10aGF0LWVuZGVkLWxvbmctYWdv',
  },
  falseAnswers: [
    sent('null'),
    sent('{}'),
    sent('"mid.1"'),
    sent('{"body":null}'),
    sent('{"body":{"mid":null}}'),
    sent('{"body":{"mid":""}}'),
    sent('{"body":{"mid":116328147937082782}}'),
    sent('{"body":{"mid":["mid.1"]}}'),
    sent('{"body":{"mid":"mid.1\\n"}}'),
    sent(`{"body":{"mid":"mid.${'0'.repeat(600)}"}}`),
    sent('[{"body":{"mid":"mid.1"}}]'),
    '{"success":true}',
    '{"messages":[]}',
    '{"code":"never.seen","message":"something"}',
    '{"code":""}',
    '{"code":1e999}',
  ],
};

function populate(simulator: Simulator) {
  const order = (name: string, body: object) => simulator.control(name, body);
  order('bots', { token: maxHarness.token, user_id: botId, first_name: 'UniBot' });
  order('users', { user_id: personId, first_name: 'John', last_name: 'Doe' });
  order('chats', { type: 'dialog', chat_id: dialog, user_id: personId });
  order('chats', { type: 'chat', chat_id: group, title: 'Group' });
  order('chats', { type: 'channel', chat_id: channel, title: 'News', link: 'news' });
  order('limits', { messages_per_second: 1000, requests_per_second: 1000 });
  return { targetId: String(group), unknownTargetId: '-70000000000999' };
}
