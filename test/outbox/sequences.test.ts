import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutboxEvent, Published } from '../../src/outbox/broker.ts';
import { Deadline } from '../../src/outbox/brokers/deadline.ts';
import { refused, unavailable } from '../../src/outbox/brokers/faults.ts';
import { publishByHalves } from '../../src/outbox/brokers/halves.ts';
import { publishSequences } from '../../src/outbox/brokers/sequences.ts';
import { anEvent, codesOf, someEvents } from './events.ts';

const never = new AbortController().signal;
const outcomes = {
  ok: { ok: true },
  refused: { ok: false, fault: refused('invalid', 'it is not fit') },
  unavailable: { ok: false, fault: unavailable('unreachable', 'it is away') },
} as const satisfies Record<string, Published>;

/** Events of a few keys, each with what the broker will say to it. */
const batch = fc.array(
  fc.record({
    aggregateId: fc.constantFrom('a', 'b', 'c', 'd'),
    outcome: fc.constantFrom('ok', 'ok', 'ok', 'refused', 'unavailable'),
    turns: fc.nat(3),
  }),
  { maxLength: 30 },
);
type Planned = {
  readonly aggregateId: string;
  readonly outcome: keyof typeof outcomes;
  readonly turns: number;
};

describe('sequences', () => {
  it('keep the order of each key, and stop a key at what is unavailable', async () => {
    await fc.assert(
      fc.asyncProperty(
        batch,
        fc.integer({ min: 1, max: 5 }),
        async (planned: Planned[], atOnce) => {
          using deadline = new Deadline(60_000, never, never);
          const events = planned.map(({ aggregateId }) => anEvent({ aggregateId }));
          const plan = new Map(events.map((event, index) => [event, planned[index]]));
          const tried: OutboxEvent[] = [];
          let running = 0;
          const results = await publishSequences(events, deadline, atOnce, async (event) => {
            tried.push(event);
            running += 1;
            expect(running).toBeLessThanOrEqual(atOnce);
            for (let turn = plan.get(event)?.turns ?? 0; turn > 0; turn -= 1)
              await Promise.resolve();
            running -= 1;
            return outcomes[plan.get(event)?.outcome ?? 'ok'];
          });
          for (const key of ['a', 'b', 'c', 'd']) {
            const sequence = events.filter(({ aggregateId }) => aggregateId === key);
            const stop = sequence.findIndex((event) => plan.get(event)?.outcome === 'unavailable');
            const due = stop === -1 ? sequence : sequence.slice(0, stop + 1);
            expect(tried.filter(({ aggregateId }) => aggregateId === key)).toEqual(due);
            const expected = sequence.map((event) =>
              due.includes(event)
                ? codesOf([outcomes[plan.get(event)?.outcome ?? 'ok']])[0]
                : 'earlier_event_waits',
            );
            expect(
              codesOf(sequence.map((event) => results[events.indexOf(event)] ?? outcomes.ok)),
            ).toEqual(expected);
          }
        },
      ),
    );
  });

  it('answer at the deadline for what has no answer, and begin nothing after it', async () => {
    const stop = new AbortController();
    using deadline = new Deadline(60_000, stop.signal, never);
    const [first, second, third] = [anEvent(), anEvent(), anEvent()];
    const begun: OutboxEvent[] = [];
    const publishing = publishSequences([first, second, third], deadline, 1, async (event) => {
      begun.push(event);
      if (event === first) return outcomes.ok;
      stop.abort();
      return new Promise(() => undefined);
    });
    expect(codesOf(await publishing)).toEqual(['ok', 'aborted', 'aborted']);
    expect(begun).toEqual([first, second]);
  });
});

describe('halves', () => {
  const unfit = new Error('unfit');
  const faultOf = (error: unknown) =>
    error === unfit ? outcomes.refused.fault : outcomes.unavailable.fault;

  it('find every event that is refused, and publish the others in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (fits) => {
        using deadline = new Deadline(60_000, never, never);
        const events = someEvents(fits.length);
        const isFit = (event: OutboxEvent) => fits[events.indexOf(event)] === true;
        const stored: OutboxEvent[] = [];
        const results = await publishByHalves(
          events,
          deadline,
          async (some) => {
            if (!some.every(isFit)) throw unfit;
            stored.push(...some);
          },
          faultOf,
        );
        expect(stored).toEqual(events.filter(isFit));
        expect(codesOf(results)).toEqual(fits.map((fit) => (fit ? 'ok' : 'invalid')));
      }),
    );
  });

  it('stop where the broker is unavailable', async () => {
    using deadline = new Deadline(60_000, never, never);
    const events = someEvents(4);
    const tried: number[] = [];
    const results = await publishByHalves(
      events,
      deadline,
      async (some) => {
        tried.push(some.length);
        throw some.length === 4 ? unfit : new Error('away');
      },
      faultOf,
    );
    expect(codesOf(results)).toEqual(events.map(() => 'unreachable'));
    expect(tried).toEqual([4, 2]);
  });
});
