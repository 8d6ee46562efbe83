import type { SimulatedPlatform, Simulator } from '../simulator.ts';
import { simulatedMethods } from './methods.ts';
import { createTelegram } from './telegram.ts';

const token = '100000001:demo-token-for-the-sandbox-only-0001';
const chats = [
  { id: '-1001000000001', title: 'News' },
  { id: '-1001000000002', title: 'Lost pets' },
  { id: '-1001000000003', title: 'Deals of the day' },
  { id: '-1001000000005', title: 'Admins' },
] as const;

export const telegram = {
  name: 'telegram',
  title: 'Telegram',
  create: createTelegram,
  methods: simulatedMethods,
  faults: ['migrated'],
  demo: { token, tokenVariable: 'TELEGRAM_TOKEN', chats, furnish },
} as const satisfies SimulatedPlatform;

function furnish(simulator: Simulator): void {
  simulator.control('bots', { token, username: 'demo_bot' });
  for (const { id, title } of chats) {
    simulator.control('chats', { id: Number(id), type: 'channel', title });
  }
}
