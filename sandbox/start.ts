// The whole sandbox: a server for each platform and the control API, on one clock and one script of
// faults.

import type { AnsweredCall } from './answered-call.ts';
import { type Clock, runningClock } from './clock.ts';
import { startControl } from './control.ts';
import { createFaultScript, type FaultScript } from './faults.ts';
import { type Platform, simulated } from './platforms.ts';
import { type SandboxServer, startServer } from './server.ts';
import type { CreateSimulator, SimulatedPlatform } from './simulator.ts';
import { createStage, newToken, type Stage } from './stage/stage.ts';

export interface SandboxOptions {
  /** The machine's time when missing. */
  readonly clock?: Clock;
  /** Any free port where one is missing. */
  readonly ports?: Partial<Record<Platform | 'control', number>>;
  /** Makes a chat for every id that a call names. Otherwise an unknown chat is not found. */
  readonly makesChats?: boolean;
  /** Called with lines for the person at the terminal: a client called a method that is not simulated. */
  readonly report?: (line: string) => void;
  /** What the page asks for before it changes anything; a random one when missing. */
  readonly token?: string;
  /** Used instead of the built-in ones. */
  readonly simulators?: Partial<Record<Platform, CreateSimulator>>;
}

/** A server for each platform, by its name. */
export type Servers = Readonly<Record<Platform, SandboxServer>>;

export interface Sandbox extends Servers {
  /** The address of each platform's API, by platform: `apiUrls` of `openOutrider`. */
  readonly apiUrls: Readonly<Record<string, string>>;
  readonly controlUrl: string;
  /** The page for people, with the token that lets it change things. */
  readonly stageUrl: string;
  readonly stage: Stage;
  readonly clock: Clock;
  readonly faults: FaultScript;
  close(): Promise<void>;
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = runningClock(), ports = {} } = options;
  const { makesChats, report, token = newToken() } = options;
  const faults = createFaultScript();
  let stage: Stage | undefined;
  const onCall = (call: AnsweredCall) => stage?.noteCall(call);
  const started: { close(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(started.map((server) => server.close()));
  };
  try {
    const servers = await serveAll(async ({ name, create: builtIn }) => {
      const create = options.simulators?.[name] ?? builtIn;
      const shared = { clock, faults, makesChats, report, onCall };
      const server = await startServer({ create, port: ports[name], ...shared });
      started.push(server);
      return server;
    });
    const simulators = simulated.map(({ name }) => servers[name].simulator);
    const titles = Object.fromEntries(simulated.map(({ name, title }) => [name, title]));
    stage = createStage({ simulators, titles, clock, faults, token });
    const control = await startControl({ simulators, clock, faults, stage, port: ports.control });
    started.push(control);
    const apiUrls = Object.fromEntries(simulated.map(({ name }) => [name, servers[name].url]));
    const stageUrl = `${control.url}/?token=${encodeURIComponent(token)}`;
    return { ...servers, apiUrls, controlUrl: control.url, stageUrl, stage, clock, faults, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts the servers one after the other, in the order of the list. */
export async function serveAll(
  serve: (platform: SimulatedPlatform & { readonly name: Platform }) => Promise<SandboxServer>,
): Promise<Servers> {
  const servers: Partial<Record<Platform, SandboxServer>> = {};
  for (const platform of simulated) servers[platform.name] = await serve(platform);
  if (!areAll(servers)) throw new Error('a platform has no server');
  return servers;
}

function areAll(servers: Partial<Record<Platform, SandboxServer>>): servers is Servers {
  return simulated.every(({ name }) => servers[name] !== undefined);
}
