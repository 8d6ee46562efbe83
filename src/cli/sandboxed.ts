// Outrider with the sandbox in place of the providers: nothing leaves the machine.

import { demoTokens, furnishDemoWorld } from '../../sandbox/demo-world.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import type { Config } from '../config.ts';

/** The secret of the demo workspace's endpoint; it opens nothing else. */
export const demoSecret = 'demo-secret';

/** What the demo workspace's references to secrets mean. */
const demoSecrets = {
  TELEGRAM_TOKEN: demoTokens.telegram,
  MAX_TOKEN: demoTokens.max,
  VK_TOKEN: demoTokens.vk,
  OUTRIDER_DEMO_SECRET: demoSecret,
} as const;

/** A sandbox with the chats that the demo workspace posts to. */
export async function startDemoSandbox(): Promise<Sandbox> {
  const sandbox = await startSandbox();
  furnishDemoWorld(sandbox);
  return sandbox;
}

/** The configuration with the sandbox's addresses and tokens. */
export function towards(sandbox: Sandbox, config: Config): Config {
  const { telegram, max, vk } = sandbox;
  return {
    ...config,
    apiUrls: { telegram: telegram.url, max: max.url, vk: vk.url },
    secrets: { ...config.secrets, ...demoSecrets },
  };
}
