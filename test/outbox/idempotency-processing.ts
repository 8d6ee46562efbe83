// What processOnce does on every idempotency store.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { OutriderError } from '../../src/errors.ts';
import { processOnce } from '../../src/outbox/idempotency/process-once.ts';
import {
  type EventKey,
  type IdempotencyStore,
  type Lease,
  leaseBounds,
  ttlBounds,
} from '../../src/outbox/idempotency/store.ts';
import { createManualClock, type ManualClock } from '../support/time/manual-clock.ts';
import { holderOf, type MovableStore, newEvent, type StoreHarness } from './idempotency-harness.ts';

const { default: leaseMs } = leaseBounds;

export function processesOnce(harness: () => StoreHarness): void {
  let store: IdempotencyStore;
  let pass: MovableStore['pass'];
  let event: EventKey;
  let other: Lease;
  let clock: ManualClock;
  let effects: number;

  beforeEach(() => {
    ({ store, pass } = harness().open());
    event = newEvent();
    other = holderOf(event);
    clock = createManualClock();
    effects = 0;
  });

  const applyEffect = async (): Promise<void> => {
    effects += 1;
  };
  const process = (handler: (signal: AbortSignal) => unknown = applyEffect) =>
    processOnce(store, event, handler, clock);

  describe('processOnce', () => {
    it('applies the effect once, however often the event comes', async () => {
      expect([await process(), await process(), await process()]).toEqual([
        'processed',
        'duplicate',
        'duplicate',
      ]);
      expect(effects).toBe(1);
    });

    it('applies the effect once when 50 come at once', async () => {
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => process()));
      expect(outcomes.filter((outcome) => outcome === 'processed')).toHaveLength(1);
      expect(effects).toBe(1);
      expect(await process()).toBe('duplicate');
    });

    it('does it for each consumer', async () => {
      await process();
      expect(await processOnce(store, { ...event, consumer: 'ledger' }, applyEffect)).toBe(
        'processed',
      );
      expect(effects).toBe(2);
    });

    it('is busy while another process has the event', async () => {
      const started = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      const running = process(async () => {
        started.resolve();
        await end.promise;
      });
      await started.promise;
      expect(await process()).toBe('busy');
      end.resolve();
      expect(await running).toBe('processed');
      expect(effects).toBe(0);
    });

    it('gives the event back when the handler fails, and passes its error on', async () => {
      const failure = new Error('the mail server is down');
      await expect(process(() => Promise.reject(failure))).rejects.toBe(failure);
      await expect(
        process(() => {
          throw failure;
        }),
      ).rejects.toBe(failure);
      expect(await process()).toBe('processed');
      expect(effects).toBe(1);
    });

    it('processes what a process that died left behind, once its lease has ended', async () => {
      await store.claim(other, leaseMs);
      expect(await process()).toBe('busy');
      await pass(event, leaseMs);
      expect(await process()).toBe('processed');
      expect(effects).toBe(1);
    });

    it('marks the event for as long as it is told', async () => {
      await processOnce(store, { ...event, ttlMs: ttlBounds.max }, applyEffect, clock);
      await pass(event, ttlBounds.max - 60_000);
      expect(await process()).toBe('duplicate');
      await pass(event, 60_000);
      expect(await process()).toBe('processed');
    });

    it('and checkAndMarkProcessed know of each other', async () => {
      await process();
      expect(await store.checkAndMarkProcessed(event.consumer, event.eventId)).toBe(true);
      event = newEvent();
      expect(await store.checkAndMarkProcessed(event.consumer, event.eventId)).toBe(false);
      expect(await process()).toBe('duplicate');
    });

    it.each([{ ttlMs: 999 }, { leaseMs: 1 }, { consumer: 'a b' }, { eventId: '42' }])(
      'refuses what it could not mark afterwards, before the effect: %j',
      async (unlawful) => {
        const processing = processOnce(store, { ...event, ...unlawful }, applyEffect);
        await expect(processing).rejects.toMatchObject({ code: 'invalid_input' });
        expect(effects).toBe(0);
      },
    );

    it('leaves no timer behind', async () => {
      await process();
      await process(() => Promise.reject(new Error('no'))).catch(() => undefined);
      expect(clock.waiting()).toBe(0);
    });
  });

  describe('a handler that takes long', () => {
    it('keeps the event, by extending its lease every third of it', async () => {
      const extend = vi.spyOn(store, 'extend');
      const outcome = await process(async (signal) => {
        for (let extensions = 1; extensions <= 6; extensions += 1) {
          await pass(event, leaseMs / 3);
          clock.advance(leaseMs / 3);
          await vi.waitFor(() => expect(extend).toHaveBeenCalledTimes(extensions), 30_000);
          expect(await extend.mock.results.at(-1)?.value).toBe(true);
          expect(await store.claim(other, leaseMs)).toBe('busy');
        }
        expect(signal.aborted).toBe(false);
      });
      expect(outcome).toBe('processed');
      extend.mockRestore();
    });

    it('extends its lease at once if the answer to the claim took a third of it', async () => {
      const slow: IdempotencyStore = {
        ...store,
        async claim(...args) {
          const answer = await store.claim(...args);
          clock.advance(leaseMs / 3);
          return answer;
        },
      };
      const extend = vi.spyOn(slow, 'extend');
      await processOnce(slow, event, () => clock.advance(0), clock);
      expect(extend).toHaveBeenCalledTimes(1);
      await extend.mock.results[0]?.value;
    });

    it('asks again soon when an extension fails, and keeps the event', async () => {
      const flaky: IdempotencyStore = { ...store };
      const extend = vi
        .spyOn(flaky, 'extend')
        .mockRejectedValueOnce(new OutriderError('store_away', 'away for a moment'));
      const outcome = await processOnce(
        flaky,
        event,
        async (signal) => {
          clock.advance(leaseMs / 3);
          await vi.waitFor(() => expect(clock.waiting()).toBe(2), 30_000);
          clock.advance(leaseMs / 12);
          await vi.waitFor(() => expect(extend).toHaveBeenCalledTimes(2), 30_000);
          expect(await extend.mock.results[1]?.value).toBe(true);
          await vi.waitFor(() => expect(clock.waiting()).toBe(2), 30_000);
          clock.advance(leaseMs / 3 - 1);
          clock.advance(leaseMs / 3);
          expect(signal.aborted).toBe(false);
        },
        clock,
      );
      expect(outcome).toBe('processed');
    });

    it('is told when another has taken the event, and its end is an error that changes nothing', async () => {
      const processing = process(async (signal) => {
        await pass(event, leaseMs);
        expect(await store.claim(other, leaseMs)).toBe('claimed');
        clock.advance(leaseMs / 3);
        await vi.waitFor(() => expect(signal.aborted).toBe(true), 30_000);
        expect(signal.reason).toMatchObject({ code: 'lease_lost' });
      });
      await expect(processing).rejects.toMatchObject({
        code: 'lease_lost',
        message: expect.stringContaining(event.eventId),
      });
      expect(await store.extend(other, leaseMs)).toBe(true);
      expect(clock.waiting()).toBe(0);
    });

    it('stops when it is told, and does not give back what another holds', async () => {
      const processing = process(async (signal) => {
        await pass(event, leaseMs);
        await store.claim(other, leaseMs);
        clock.advance(leaseMs / 3);
        await vi.waitFor(() => expect(signal.aborted).toBe(true), 30_000);
        signal.throwIfAborted();
      });
      await expect(processing).rejects.toBeInstanceOf(OutriderError);
      expect(await store.extend(other, leaseMs)).toBe(true);
    });

    it('is believed when its lease has ended and nobody has taken the event', async () => {
      expect(await process(() => pass(event, leaseMs))).toBe('processed');
      expect(await process()).toBe('duplicate');
    });

    it('ends with an error when another has processed the event meanwhile', async () => {
      const processing = process(async () => {
        await pass(event, leaseMs);
        await processOnce(store, event, applyEffect, clock);
      });
      await expect(processing).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await process()).toBe('duplicate');
    });
  });
}
