// A server that a test starts and stops: a child process on the loopback interface.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Daemon {
  /** Asks it to end, and waits for that. */
  stop(): Promise<void>;
}

export interface DaemonOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it takes connections. */
  readonly isUp: () => Promise<boolean>;
}

const patienceMs = 240_000;

export async function startDaemon(
  command: string,
  args: readonly string[],
  { env, isUp }: DaemonOptions,
): Promise<Daemon> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const note = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000);
  };
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  let isGone = false;
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => note(Buffer.from(error.message)));
    child.once('close', () => {
      isGone = true;
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    if (!isGone) child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await gone;
    clearTimeout(killing);
  };
  const deadline = Date.now() + patienceMs;
  while (!(await isUp())) {
    if (isGone) throw new Error(`${command} ended: ${said}`);
    if (Date.now() > deadline) {
      await stop();
      throw new Error(`${command} did not come up: ${said}`);
    }
    await pause(50);
  }
  return { stop };
}

/** Whether a server accepts connections at the port. */
export async function accepts(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
