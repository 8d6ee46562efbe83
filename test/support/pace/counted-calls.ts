// A simulator that counts what its platform counts: messages on Telegram, calls of the API on MAX and VK.

import { createMax } from '../../../sandbox/max/max.ts';
import type { CreateSimulator, SandboxReply, SandboxRequest } from '../../../sandbox/simulator.ts';
import { createTelegram } from '../../../sandbox/telegram/telegram.ts';
import { createVk } from '../../../sandbox/vk/vk.ts';
import type { Platform } from '../sandbox/three-platforms.ts';

export interface CountedCalls {
  readonly create: CreateSimulator;
  /** How much the platform has taken so far. */
  taken(): number;
  /** The calls that it has refused, for any reason. */
  readonly refusals: readonly string[];
}

const simulators = { telegram: createTelegram, max: createMax, vk: createVk };

export function countCalls(platform: Platform): CountedCalls {
  const refusals: string[] = [];
  let taken = 0;
  return {
    create(context) {
      const simulator = simulators[platform](context);
      return {
        ...simulator,
        async handle(request) {
          const reply = await simulator.handle(request);
          if (!isCounted(platform, request)) return reply;
          if (isRefusal(reply)) refusals.push(`${request.path}: ${reply.body}`);
          else taken += platform === 'telegram' ? messagesIn(reply) : 1;
          return reply;
        },
      };
    },
    taken: () => taken,
    refusals,
  };
}

/** Uploads go to another host, which does not count. */
function isCounted(platform: Platform, { path }: SandboxRequest): boolean {
  if (platform === 'max') return path !== '/upload.do';
  return platform === 'telegram' || path.startsWith('/method/');
}

/** VK refuses with status 200. */
function isRefusal({ status, body }: SandboxReply): boolean {
  return status !== 200 || body.startsWith('{"error"');
}

/** An album is answered with a list. */
function messagesIn({ body }: SandboxReply): number {
  const { result }: { result: unknown } = JSON.parse(body);
  return Array.isArray(result) ? result.length : 1;
}
