import type { SimulatedPlatform, Simulator } from '../simulator.ts';
import { createMax } from './max.ts';
import { simulatedMethods } from './routes.ts';

const token = 'demo-token-for-the-sandbox-only';
const chats = [
  { id: '-70000000000001', title: 'News' },
  { id: '-70000000000002', title: 'Lost pets' },
] as const;

export const max = {
  name: 'max',
  title: 'MAX',
  create: createMax,
  methods: simulatedMethods,
  faults: ['attachment_not_ready', 'success_false'],
  demo: { token, tokenVariable: 'MAX_TOKEN', chats, furnish },
} as const satisfies SimulatedPlatform;

function furnish(simulator: Simulator): void {
  simulator.control('bots', { token, user_id: 229_000_001, first_name: 'Demo bot' });
  for (const { id, title } of chats) {
    simulator.control('chats', { type: 'channel', chat_id: Number(id), title });
  }
}
