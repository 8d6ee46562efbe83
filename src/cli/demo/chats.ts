// Names of the demo's chats in the sandbox.

import { demoChats } from '../../../sandbox/demo-world.ts';

export const chats = {
  'tg-news': { platform: 'telegram', id: demoChats.telegram[0].id },
  'tg-pets': { platform: 'telegram', id: demoChats.telegram[1].id },
  'max-news': { platform: 'max', id: demoChats.max[0].id },
  'max-pets': { platform: 'max', id: demoChats.max[1].id },
  'vk-wall': { platform: 'vk', id: demoChats.vk[0].id },
  /** Made while the demo runs. */
  'tg-city': { platform: 'telegram', id: '-1001000000004' },
} as const;
