import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SandboxReply } from '../../sandbox/simulator.ts';
import type { SendOutcome } from '../../src/adapters/adapter.ts';
import type { Harness } from './harness.ts';
import { harnesses } from './harnesses.ts';
import { useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

// The provider's own replies, garbled: cut, of other types, with huge numbers, as pages. Whatever comes,
// an adapter answers with a value of its contract.

const repliesEach = 3_400;

const Outcome = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    providerMessageId: z.string().min(1),
    partsDone: z.array(z.object({ item: z.int(), providerMessageId: z.string().min(1) })).min(1),
  }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      category: z.enum(['TRANSIENT', 'PERMANENT']),
      scope: z.enum(['delivery', 'channel', 'platform']),
      code: z.string().min(1),
      message: z.string().min(1),
    }),
    partsDone: z.array(z.object({ item: z.int(), providerMessageId: z.string().min(1) })),
  }),
]);

/** The same every time: a failure can be looked into. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const strangers: readonly string[] = [
  'null',
  'true',
  '"text"',
  '[]',
  '{}',
  '-1',
  '0.5',
  '1e400',
  '9'.repeat(400),
  '"\\u0000"',
  '"\\ud800"',
  `"${'я'.repeat(3_000)}"`,
];
const statuses = [200, 200, 200, 200, 201, 204, 301, 400, 403, 404, 429, 500, 502];

function garble(reply: SandboxReply, pick: (below: number) => number): SandboxReply {
  const { body, headers } = reply;
  const status = pick(3) === 0 ? (statuses[pick(statuses.length)] ?? 200) : reply.status;
  const garbled = garbleBody(body, pick);
  return { status, body: status === 204 ? '' : garbled, ...(headers ? { headers } : {}) };
}

function garbleBody(body: string, pick: (below: number) => number): string {
  const stranger = strangers[pick(strangers.length)] ?? '';
  // Where a value of the JSON stands: a number, a text, or a word.
  const values = [...body.matchAll(/(?<=[:[,])("(?:[^"\\]|\\.)*"|-?\d[\d.e+]*|true|false|null)/g)];
  const value = values[pick(Math.max(values.length, 1))];
  switch (pick(8)) {
    case 0:
      return body.slice(0, pick(body.length + 1));
    case 1:
      return `<html><body>502 ${body.slice(0, 40)}</body></html>`;
    case 2:
      return stranger;
    case 3:
      return body.replaceAll(/"(\w+)":/g, (key) => (pick(6) === 0 ? '"other":' : key));
    case 4:
      return body.slice(0, pick(body.length + 1)) + stranger + body.slice(pick(body.length + 1));
    case 5:
      return body; // as it came: the fault is elsewhere, or nowhere
    default:
      if (value === undefined) return stranger;
      return body.slice(0, value.index) + stranger + body.slice(value.index + value[0].length);
  }
}

describe.each(Object.values(harnesses))('the adapter of $title', (harness: Harness) => {
  let replies = 0;
  let told = { ok: 0, failed: 0 };
  const pick = chance(20_261_116);
  const stage = useStage(harness, {
    disguise: (simulator) => ({
      ...simulator,
      async handle(request) {
        const reply = await simulator.handle(request);
        replies += 1;
        return pick(4) === 0 ? reply : garble(reply, pick);
      },
    }),
  });

  async function tryOne(n: number): Promise<SendOutcome> {
    const media =
      n % 5 === 0 ? [new StoredBlob('a').asMedium(), new StoredBlob('b').asMedium()] : [];
    const outcomeUnknown = n % 7 === 0;
    return stage().send({ media, outcomeUnknown, text: `Post ${n}` });
  }

  it(`answers with a value of its contract to ${repliesEach} replies and more`, async () => {
    for (let n = 0; replies < repliesEach; n += 1) {
      const outcome = await tryOne(n);
      const parsed = Outcome.safeParse(outcome);
      expect(parsed.error?.issues ?? []).toEqual([]);
      told = outcome.ok ? { ...told, ok: told.ok + 1 } : { ...told, failed: told.failed + 1 };
    }
    // Both kinds came up: neither is the only answer that there is.
    expect(told.ok).toBeGreaterThan(50);
    expect(told.failed).toBeGreaterThan(500);
  }, 240_000);
});
