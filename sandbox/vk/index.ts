import type { SimulatedPlatform, Simulator } from '../simulator.ts';
import { methods } from './methods.ts';
import { createVk } from './vk.ts';

const token = 'vk1.a.demo-token-for-the-sandbox-only';
const admin = 100;
const chats = [{ id: '-200000001', title: 'Our wall' }] as const;

export const vk = {
  name: 'vk',
  title: 'VK',
  create: createVk,
  methods: [...methods.keys()],
  faults: ['captcha'],
  demo: { token, tokenVariable: 'VK_TOKEN', chats, furnish },
} as const satisfies SimulatedPlatform;

function furnish(simulator: Simulator): void {
  simulator.control('users', { id: admin, first_name: 'Demo', last_name: 'administrator' });
  for (const { id, title } of chats) {
    simulator.control('communities', { id: -Number(id), name: title, admins: [admin] });
  }
  simulator.control('tokens', { kind: 'user', token, user_id: admin });
}
