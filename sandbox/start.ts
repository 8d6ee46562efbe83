// The whole sandbox: a server for each platform and the control API, on one clock and one script of
// faults.

import { type Clock, runningClock } from './clock.ts';
import { startControl } from './control.ts';
import { createFaultScript, type FaultScript } from './faults.ts';
import { createMax } from './max/max.ts';
import { type SandboxServer, startServer } from './server.ts';
import type { CreateSimulator, Platform } from './simulator.ts';
import { createTelegram } from './telegram/telegram.ts';
import { createVk } from './vk/vk.ts';

export interface SandboxOptions {
  /** The machine's time when missing. */
  readonly clock?: Clock;
  /** Any free port for those that are missing. */
  readonly ports?: Partial<Record<Platform | 'control', number>>;
  /** Makes a chat of every id that a call names; without it an unknown chat is not found. */
  readonly makesChats?: boolean;
  /** Hears what is worth telling the person at the terminal: a call of a method that is not simulated. */
  readonly report?: (line: string) => void;
  /** In place of those that are built in. */
  readonly simulators?: Partial<Record<Platform, CreateSimulator>>;
}

export interface Sandbox {
  readonly telegram: SandboxServer;
  readonly max: SandboxServer;
  readonly vk: SandboxServer;
  readonly controlUrl: string;
  readonly clock: Clock;
  readonly faults: FaultScript;
  close(): Promise<void>;
}

const builtIn = { telegram: createTelegram, max: createMax, vk: createVk };

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = runningClock(), ports = {} } = options;
  const { makesChats, report } = options;
  const create = { ...builtIn, ...options.simulators };
  const faults = createFaultScript();
  const started: { close(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(started.map((server) => server.close()));
  };
  const serve = async (platform: Platform) => {
    const port = ports[platform];
    const shared = { clock, faults, makesChats, report };
    const server = await startServer({ create: create[platform], port, ...shared });
    started.push(server);
    return server;
  };
  try {
    const [telegram, max, vk] = [await serve('telegram'), await serve('max'), await serve('vk')];
    const simulators = [telegram, max, vk].map((server) => server.simulator);
    const control = await startControl({ simulators, clock, faults, port: ports.control });
    started.push(control);
    return { telegram, max, vk, controlUrl: control.url, clock, faults, close };
  } catch (error) {
    await close();
    throw error;
  }
}
