// Starts the sandbox of the demo workspace, in place of the platforms: nothing leaves the machine.

import { furnishDemoWorld } from '../../../sandbox/demo-world.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/start.ts';

/** The port where `up --sandbox` shows the chats, if it is free. */
export const chatsPort = 8081;

/** A sandbox with the chats that the demo workspace posts to. */
export async function startDemoSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  furnishDemoWorld(sandbox);
  return sandbox;
}

/** A sandbox that makes a chat for every id that a channel names. Its pages keep their address if the port is free. */
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
