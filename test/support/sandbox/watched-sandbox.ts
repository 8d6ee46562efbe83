// The sandbox with a record of every call that reached it: when it came, which fault struck it, and what the platform
// answered.

import { runningClock } from '../../../sandbox/clock.ts';
import { createFaultScript, type FaultScript } from '../../../sandbox/faults.ts';
import { startServer } from '../../../sandbox/server.ts';
import type {
  CreateSimulator,
  Fault,
  SandboxReply,
  SandboxRequest,
} from '../../../sandbox/simulator.ts';
import { type Servers, serveAll } from '../../../sandbox/start.ts';

export interface WatchedCall {
  readonly platform: string;
  /** The name of the method on Telegram and VK, "VERB /path" on MAX. */
  readonly method: string;
  readonly chat?: string;
  /** On Telegram, the token is in it. */
  readonly path: string;
  /** The text of the post; empty for calls without one. */
  readonly text: string;
  /** When the call came in. */
  readonly at: number;
  fault?: Fault | undefined;
  /** The platform's own answer; undefined if a fault kept the call from the platform. */
  reply?: SandboxReply;
  /** When the platform gave that answer. */
  repliedAt?: number;
}

export interface WatchedSandbox extends Servers {
  readonly calls: readonly WatchedCall[];
  readonly faults: FaultScript;
  /** Called for every answer of a platform. */
  onReply: (call: WatchedCall) => void;
  close(): Promise<void>;
}

export async function startWatchedSandbox(
  faults: FaultScript = createFaultScript(),
): Promise<WatchedSandbox> {
  const calls: WatchedCall[] = [];
  const watcher = { onReply: (_call: WatchedCall): void => undefined };
  // The server asks for the fault right after the description, before it reads another request.
  const script: FaultScript = {
    add: (fault) => faults.add(fault),
    list: () => faults.list(),
    clear: () => faults.clear(),
    strike(struck) {
      const fault = faults.strike(struck);
      const call = calls.at(-1);
      if (call !== undefined) call.fault = fault;
      return fault;
    },
  };

  const watched =
    (create: CreateSimulator): CreateSimulator =>
    (context) => {
      const simulator = create(context);
      const { platform } = simulator;
      const known = new WeakMap<SandboxRequest, WatchedCall>();
      return {
        ...simulator,
        describe(request) {
          const described = simulator.describe(request);
          const { path } = request;
          const call = { platform, ...described, path, text: wordsOf(request), at: Date.now() };
          calls.push(call);
          known.set(request, call);
          return described;
        },
        async handle(request) {
          const reply = await simulator.handle(request);
          const call = known.get(request);
          if (call !== undefined) {
            call.reply = reply;
            call.repliedAt = Date.now();
            watcher.onReply(call);
          }
          return reply;
        },
      };
    };

  const clock = runningClock();
  const servers = await serveAll(({ create }) =>
    startServer({ create: watched(create), clock, faults: script }),
  );
  return Object.assign(watcher, {
    ...servers,
    calls,
    faults,
    async close() {
      await Promise.all(Object.values(servers).map((server) => server.close()));
    },
  });
}

/** The text of a post, from the field in which its platform has it. */
function wordsOf({ json, form }: SandboxRequest): string {
  const body = typeof json === 'object' && json !== null ? { ...form, ...json } : form;
  const words = ['text', 'caption', 'message'].map(
    (name) => Object.entries(body).find(([key]) => key === name)?.[1],
  );
  return words.find((each) => typeof each === 'string') ?? '';
}

/** Whether a hidden limit of the platform refused the call. */
export function isFlood({ platform, reply }: WatchedCall): boolean {
  if (reply === undefined) return false;
  if (platform !== 'vk') return reply.status === 429;
  return /^\{"error":\{"error_code":(6|9|29|214)\b/.test(reply.body);
}

/** Whether the platform took the call and a fault then lost its answer. */
export function isLost({ fault, reply }: WatchedCall): boolean {
  return fault !== undefined && reply !== undefined && reply.status === 200;
}
