// Processes that get the same event, in every order of their steps, killed, frozen and failing at any of them, while
// time passes: the effect is never applied by two at once, and never lost.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Processed, processOnce } from '../../src/outbox/idempotency/process-once.ts';
import { type IdempotencyStore, leaseBounds } from '../../src/outbox/idempotency/store.ts';
import { GatedWorker } from '../support/outbox/gated-worker.ts';
import { createManualClock, type ManualClock } from '../support/time/manual-clock.ts';
import { type MovableStore, newEvent, type StoreHarness } from './idempotency-harness.ts';
import { StoreModel } from './idempotency-model.ts';

const leaseMs = leaseBounds.default;
const third = leaseMs / 3;

type Step =
  | { readonly kind: 'deliver' }
  | { readonly kind: 'step' | 'kill' | 'freeze' | 'thaw' | 'fail'; readonly worker: number }
  | { readonly kind: 'pass'; readonly thirds: number };

const worker = fc.nat({ max: 3 });
const Step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('step' as const), worker }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deliver' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('kill' as const, 'freeze' as const, 'thaw' as const, 'fail' as const),
      worker,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      thirds: fc.integer({ min: 1, max: 4 }),
    }),
  },
);

/** One process of the consumer, and how it got on with the event. */
class Consumer extends GatedWorker {
  readonly clock: ManualClock = createManualClock();
  extending: Promise<unknown> = Promise.resolve();
  signal: AbortSignal | undefined;
  willFail = false;
  isInHandler = false;
  hasApplied = false;
  hasMarked = false;
  /** It was killed, or stood still where its lease is not extended. */
  isExcused = false;
  #missedMs = 0;

  isActing(): boolean {
    return this.isInHandler && !this.isKilled && !this.isFrozen && this.signal?.aborted !== true;
  }

  /** Its timers run, and what they ask is answered. */
  async age(ms: number): Promise<void> {
    if (this.isOver) return;
    if (ms > 0 && this.hasApplied && !this.isInHandler) this.isExcused = true;
    if (this.isFrozen) {
      this.#missedMs += ms;
      return;
    }
    this.clock.advance(ms);
    await this.extending;
    await new Promise(setImmediate);
  }

  freeze(): void {
    this.isFrozen = true;
    this.isExcused = true;
  }

  async thaw(): Promise<void> {
    this.isFrozen = false;
    const missedMs = this.#missedMs;
    this.#missedMs = 0;
    await this.age(missedMs);
  }

  override async kill(): Promise<void> {
    this.isExcused = true;
    await super.kill();
  }
}

class Interleaving {
  readonly #event = newEvent();
  readonly #consumers: Consumer[] = [];
  readonly #model = new StoreModel();
  readonly #movable: MovableStore;
  #effects = 0;
  readonly #faults: string[] = [];

  constructor(movable: MovableStore) {
    this.#movable = movable;
  }

  /** What went wrong; nothing, if all is well. */
  async run(steps: readonly Step[]): Promise<readonly string[]> {
    await this.#deliver();
    for (const step of steps) {
      await this.#take(step);
      this.#require(this.#consumers.filter((each) => each.isActing()).length <= 1, 'two at once');
    }
    await this.#finish();
    return this.#faults;
  }

  #require(holds: boolean, claim: string): void {
    if (!holds) this.#faults.push(claim);
  }

  async #take(step: Step): Promise<void> {
    if (step.kind === 'deliver') return this.#deliver();
    if (step.kind === 'pass') return this.#pass(step.thirds);
    const consumer = this.#consumers[step.worker % this.#consumers.length];
    if (consumer === undefined || consumer.isOver) return undefined;
    if (step.kind === 'kill') return consumer.kill();
    if (step.kind === 'fail') return void (consumer.willFail = true);
    if (step.kind === 'freeze') return consumer.freeze();
    if (step.kind === 'thaw') return consumer.thaw();
    return consumer.isFrozen ? undefined : consumer.step();
  }

  async #deliver(): Promise<void> {
    if (this.#consumers.length >= 4) return;
    const consumer = new Consumer();
    this.#consumers.push(consumer);
    await consumer.run(async () => {
      const handler = (signal: AbortSignal): Promise<void> => this.#handle(consumer, signal);
      this.#settle(await processOnce(this.#gated(consumer), this.#event, handler, consumer.clock));
    });
  }

  #settle(outcome: Processed): void {
    if (outcome !== 'busy') this.#require(this.#effects > 0, 'acknowledged without an effect');
  }

  async #handle(consumer: Consumer, signal: AbortSignal): Promise<void> {
    consumer.signal = signal;
    consumer.isInHandler = true;
    try {
      await consumer.gate();
      signal.throwIfAborted();
      if (consumer.willFail) throw new Error('the handler fails');
      this.#effects += 1;
      consumer.hasApplied = true;
      await consumer.gate();
    } finally {
      consumer.isInHandler = false;
    }
  }

  async #pass(thirds: number): Promise<void> {
    // What is due already is done before more time passes.
    for (const consumer of this.#consumers) await consumer.age(0);
    for (let count = 0; count < thirds; count += 1) {
      await this.#movable.pass(this.#event, third);
      this.#model.pass(third);
      for (const consumer of this.#consumers) await consumer.age(third);
    }
  }

  /** The store as one process sees it: it can die before each request, and before each answer. */
  #gated(consumer: Consumer): IdempotencyStore {
    const { store } = this.#movable;
    const model = this.#model;
    const asked = async <T>(name: string, ask: () => Promise<T>, expected: () => T): Promise<T> => {
      const answer = await ask();
      const foreseen = expected();
      this.#require(answer === foreseen, `${name}: ${String(answer)}, not ${String(foreseen)}`);
      return answer;
    };
    const gated = async <T>(name: string, ask: () => Promise<T>, expected: () => T): Promise<T> => {
      await consumer.gate();
      const answer = await asked(name, ask, expected);
      if (name === 'confirm' && answer === true) consumer.hasMarked = true;
      await consumer.gate();
      return answer;
    };
    return {
      ...store,
      claim: (lease, ms) =>
        gated(
          'claim',
          () => store.claim(lease, ms),
          () => model.claim(lease, ms),
        ),
      confirm: (lease, ttlMs) =>
        gated(
          'confirm',
          () => store.confirm(lease, ttlMs),
          () => model.confirm(lease),
        ),
      release: (lease) =>
        gated(
          'release',
          () => store.release(lease),
          () => model.release(lease),
        ),
      extend(lease, ms) {
        const answer = asked(
          'extend',
          () => store.extend(lease, ms),
          () => model.extend(lease, ms),
        );
        consumer.extending = answer.catch(() => undefined);
        return answer;
      },
    };
  }

  // Everybody who lives comes to an end; then the broker delivers until the event is acknowledged.
  async #finish(): Promise<void> {
    for (const consumer of this.#consumers) {
      await consumer.thaw();
      while (!consumer.isOver) await consumer.step();
    }
    let outcome: Processed = 'busy';
    for (let deliveries = 0; outcome === 'busy' && deliveries < 2; deliveries += 1) {
      const apply = (): void => void (this.#effects += 1);
      outcome = await processOnce(this.#movable.store, this.#event, apply);
      await this.#movable.pass(this.#event, leaseMs);
    }
    this.#settle(outcome);
    const unmarked = this.#consumers.filter((each) => each.hasApplied && !each.hasMarked);
    const marked = this.#consumers.filter((each) => each.hasMarked).length;
    this.#require(outcome === (marked === 1 ? 'duplicate' : 'processed'), `in the end ${outcome}`);
    this.#require(this.#effects === unmarked.length + 1, `applied ${this.#effects} times`);
    this.#require(
      unmarked.every((each) => each.isExcused),
      'an effect was applied again although nobody died or stood still',
    );
  }
}

export function standsInterleavings(harness: () => StoreHarness): void {
  describe('processes that are killed, frozen and fail anywhere', () => {
    it('never apply the effect at once, and never lose it, in 10,000 interleavings', async () => {
      const batch = fc.array(fc.array(Step, { minLength: 5, maxLength: 40 }), {
        minLength: 50,
        maxLength: 50,
      });
      await fc.assert(
        fc.asyncProperty(batch, async (scripts) => {
          const faults = await Promise.all(
            scripts.map(async (steps) => {
              const found = await new Interleaving(harness().open()).run(steps);
              return found.map((fault) => `${fault}: ${JSON.stringify(steps)}`);
            }),
          );
          expect(faults.flat()).toEqual([]);
        }),
        { numRuns: 200 },
      );
    }, 300_000);
  });
}
