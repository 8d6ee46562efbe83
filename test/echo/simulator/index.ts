import type { SimulatedPlatform, Simulator } from '../../../sandbox/simulator.ts';
import { createEcho, methods } from './echo.ts';

const token = 'echo-token-for-the-sandbox-only';
const chats = [{ id: 'hall', title: 'The hall' }] as const;

export const echo = {
  name: 'echo',
  title: 'Echo',
  create: createEcho,
  methods,
  faults: [],
  demo: { token, tokenVariable: 'ECHO_TOKEN', chats, furnish },
} as const satisfies SimulatedPlatform;

function furnish(simulator: Simulator): void {
  simulator.control('tokens', { token });
  for (const chat of chats) simulator.control('rooms', chat);
}
