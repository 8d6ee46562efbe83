// A world to start with: the chats that the demo workspace of db/seed.sql posts to, and a token for each
// platform.

import { simulated } from './platforms.ts';
import type { Sandbox } from './start.ts';

export function furnishDemoWorld(sandbox: Sandbox): void {
  for (const { name, demo } of simulated) demo.furnish(sandbox[name].simulator);
}
