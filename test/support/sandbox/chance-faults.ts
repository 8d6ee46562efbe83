// Random faults that pass by themselves, like those of real networks and platforms.

import type { Call, FaultScript } from '../../../sandbox/faults.ts';
import type { Fault, FaultKind } from '../../../sandbox/simulator.ts';
import { randomFrom } from '../random-numbers.ts';

const ofTheWire: readonly FaultKind[] = [
  'drop',
  'half_open',
  'slow_drip',
  'html',
  'empty_body',
  'truncated_json',
  'server_error',
];

/**
 * Strikes a share of all calls with a fault that passes: one of the wire, before or after the call has its effect, or a
 * temporary refusal. Two kinds are left out: `success_false`, which is final for a post and which MAX says of changes
 * only, and `migrated`, after which the chat has another id.
 */
export function chanceFaults(share: number, seed: number): FaultScript & { stop(): void } {
  const random = randomFrom(seed);
  let isOver = false;
  return {
    add() {
      throw new Error('these faults come by chance');
    },
    list: () => [],
    clear: () => undefined,
    strike(call): Fault | undefined {
      if (random() >= share || isOver) return undefined;
      const kinds = kindsFor(call);
      const kind = kinds[Math.floor(random() * kinds.length)] ?? 'drop';
      return { kind, stored: random() < 0.5, retryAfter: 1 };
    },
    stop() {
      isOver = true;
    },
  };
}

function kindsFor({ platform, method }: Call): readonly FaultKind[] {
  // When an upload server refuses, that means the file is bad, which is final.
  if (method === 'upload' || method === 'POST /upload.do') return ofTheWire;
  if (platform === 'max' && method === 'POST /messages') {
    return [...ofTheWire, 'rate_limited', 'attachment_not_ready'];
  }
  return [...ofTheWire, 'rate_limited'];
}
