// Outrider with the sandbox in place of the providers: nothing leaves the machine.

import { demoTokens, furnishDemoWorld } from '../../sandbox/demo-world.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/start.ts';
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

/** Where `up --sandbox` shows the chats, if nobody else listens there. */
export const chatsPort = 8081;

/** A sandbox with the chats that the demo workspace posts to. */
export async function startDemoSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  furnishDemoWorld(sandbox);
  return sandbox;
}

/** A sandbox that makes a chat of every id that a channel names; its pages keep their address. */
export async function startOpenSandbox(report: (line: string) => void): Promise<Sandbox> {
  const options = { makesChats: true, report };
  try {
    return await startDemoSandbox({ ...options, ports: { control: chatsPort } });
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!isTaken) throw error;
    return startDemoSandbox(options);
  }
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
