import type { SimulatedPlatform, Simulator } from '../simulator.ts';
import { createMax } from './max.ts';
import { simulatedMethods } from './routes.ts';

const token = 'demo-token-for-the-sandbox-only';
const chats = [
  { id: '-70000000000001', title: 'News' },
  { id: '-70000000000002', title: 'Lost pets' },
] as const;

/** The secret of the demo workspace's endpoint for what people write to the bot. */
const botSecret = 'demo-bot-secret';
/** Somebody who writes to the bot. */
const customer = { user_id: 100_000_001, first_name: 'Аня' };

export const max = {
  name: 'max',
  title: 'MAX',
  create: createMax,
  methods: simulatedMethods,
  faults: ['attachment_not_ready', 'success_false'],
  demo: { token, tokenVariable: 'MAX_TOKEN', chats, botSecret, furnish },
} as const satisfies SimulatedPlatform;

function furnish(simulator: Simulator): void {
  simulator.control('bots', { token, user_id: 229_000_001, first_name: 'Shop bot' });
  for (const { id, title } of chats) {
    simulator.control('chats', { type: 'channel', chat_id: Number(id), title });
  }
  simulator.control('users', customer);
  simulator.control('chats', { type: 'dialog', user_id: customer.user_id });
}
