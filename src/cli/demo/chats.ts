// Names of the demo's chats in the sandbox.

import { max } from '../../../sandbox/max/index.ts';
import { telegram } from '../../../sandbox/telegram/index.ts';
import { vk } from '../../../sandbox/vk/index.ts';

export const chats = {
  'tg-news': { platform: 'telegram', id: telegram.demo.chats[0].id },
  'tg-pets': { platform: 'telegram', id: telegram.demo.chats[1].id },
  'max-news': { platform: 'max', id: max.demo.chats[0].id },
  'max-pets': { platform: 'max', id: max.demo.chats[1].id },
  'vk-wall': { platform: 'vk', id: vk.demo.chats[0].id },
  /** Where alerts are told. */
  admins: { platform: 'telegram', id: telegram.demo.chats[3].id },
  /** Made while the demo runs. */
  'tg-city': { platform: 'telegram', id: '-1001000000004' },
  'pets-group': { platform: 'telegram', id: '-1001000000006' },
  'pets-wall': { platform: 'vk', id: '-200000002' },
} as const;
