// A world to start with: the chats that the demo workspace of db/seed.sql posts to, and a token for each
// platform. The tokens are no secrets; they open nothing but this sandbox.

import type { Sandbox } from './start.ts';

export const demoTokens = {
  telegram: '100000001:demo-token-for-the-sandbox-only-0001',
  max: 'demo-token-for-the-sandbox-only',
  vk: 'vk1.a.demo-token-for-the-sandbox-only',
} as const;

export const demoChats = {
  telegram: [
    { id: '-1001000000001', title: 'News' },
    { id: '-1001000000002', title: 'Lost pets' },
    { id: '-1001000000003', title: 'Deals of the day' },
  ],
  max: [
    { id: '-70000000000001', title: 'News' },
    { id: '-70000000000002', title: 'Lost pets' },
  ],
  vk: [{ id: '-200000001', title: 'Our wall' }],
} as const;

const vkAdmin = 100;

export function furnishDemoWorld(sandbox: Pick<Sandbox, 'telegram' | 'max' | 'vk'>): void {
  const { telegram, max, vk } = sandbox;
  telegram.simulator.control('bots', { token: demoTokens.telegram, username: 'demo_bot' });
  for (const { id, title } of demoChats.telegram) {
    telegram.simulator.control('chats', { id: Number(id), type: 'channel', title });
  }
  max.simulator.control('bots', {
    token: demoTokens.max,
    user_id: 229_000_001,
    first_name: 'Demo bot',
  });
  for (const { id, title } of demoChats.max) {
    max.simulator.control('chats', { type: 'channel', chat_id: Number(id), title });
  }
  vk.simulator.control('users', { id: vkAdmin, first_name: 'Demo', last_name: 'administrator' });
  for (const { id, title } of demoChats.vk) {
    vk.simulator.control('communities', { id: -Number(id), name: title, admins: [vkAdmin] });
  }
  vk.simulator.control('tokens', { kind: 'user', token: demoTokens.vk, user_id: vkAdmin });
}
