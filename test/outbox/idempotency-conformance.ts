// What every idempotency store does.

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type EventKey,
  type IdempotencyStore,
  type Lease,
  leaseBounds,
  ttlBounds,
} from '../../src/outbox/idempotency/store.ts';
import { holderOf, type MovableStore, newEvent, type StoreHarness } from './idempotency-harness.ts';
import { standsInterleavings } from './idempotency-interleavings.ts';
import { givesLeases } from './idempotency-leases.ts';
import { standsOutages } from './idempotency-outages.ts';
import { processesOnce } from './idempotency-processing.ts';

const nil = '00000000-0000-0000-0000-000000000000';
const { default: leaseMs } = leaseBounds;
const { default: ttlMs } = ttlBounds;

export function conformsToIdempotencyStore(harness: () => StoreHarness): void {
  let store: IdempotencyStore;
  let pass: MovableStore['pass'];
  let event: EventKey;
  let first: Lease;

  beforeEach(() => {
    ({ store, pass } = harness().open());
    event = newEvent();
    first = holderOf(event);
  });

  const mark = (key = event): Promise<boolean> =>
    store.checkAndMarkProcessed(key.consumer, key.eventId);

  describe('checkAndMarkProcessed', () => {
    it('answers that a new event was not processed, and from then on that it was', async () => {
      expect([await mark(), await mark(), await mark()]).toEqual([false, true, true]);
    });

    it('lets the first of 50 at once win', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => mark()));
      expect(answers.filter((wasProcessed) => !wasProcessed)).toHaveLength(1);
    });

    it('keeps consumers and events apart', async () => {
      await mark();
      expect(await mark({ ...event, consumer: 'mailer-2' })).toBe(false);
      expect(await mark(newEvent())).toBe(false);
    });

    it('knows an event however its id is written', async () => {
      await mark();
      expect(await mark({ ...event, eventId: event.eventId.toUpperCase() })).toBe(true);
    });

    it.each([ttlBounds.min, ttlBounds.max])(
      'keeps the mark for %d ms and no longer',
      async (ttl) => {
        const again = (): Promise<boolean> =>
          store.checkAndMarkProcessed(event.consumer, event.eventId, ttl);
        await again();
        await pass(event, ttl - 60_000);
        expect(await again()).toBe(true);
        await pass(event, 60_000);
        expect(await again()).toBe(false);
      },
    );

    it('keeps the mark for 168 hours if it is not told how long', async () => {
      await mark();
      await pass(event, 168 * 3_600_000 - 60_000);
      expect(await mark()).toBe(true);
      await pass(event, 60_000);
      expect(await mark()).toBe(false);
    });

    it('does not lengthen the mark that it finds', async () => {
      await mark();
      await pass(event, ttlMs - 60_000);
      await mark();
      await pass(event, 60_000);
      expect(await mark()).toBe(false);
    });

    it('answers neither yes nor no while somebody processes the event', async () => {
      await store.claim(first, leaseMs);
      await expect(mark()).rejects.toMatchObject({ code: 'still_in_flight' });
      expect(await store.confirm(first, ttlMs)).toBe(true);
      expect(await mark()).toBe(true);
    });

    it('marks an event that was given back, or whose holder is gone', async () => {
      await store.claim(first, leaseMs);
      await store.release(first);
      expect(await mark()).toBe(false);

      const other = newEvent();
      await store.claim(holderOf(other), leaseMs);
      await pass(other, leaseMs);
      expect(await mark(other)).toBe(false);
    });
  });

  describe('an unlawful call', () => {
    it.each(['', 'a b', '-mailer', 'mailer:2', 'mailer\n', 'x'.repeat(101)])(
      'is refused for its consumer: %j',
      async (consumer) => {
        await expect(mark({ ...event, consumer })).rejects.toMatchObject({ code: 'invalid_input' });
        const lease = { ...first, consumer };
        await expect(store.claim(lease, leaseMs)).rejects.toMatchObject({ code: 'invalid_input' });
      },
    );

    it.each(['', '42', `${randomUUID()}x`, `${randomUUID()}\n`])(
      'is refused for its ids: %j',
      async (id) => {
        const bad = { code: 'invalid_input' };
        await expect(mark({ ...event, eventId: id })).rejects.toMatchObject(bad);
        await expect(store.claim({ ...first, owner: id }, leaseMs)).rejects.toMatchObject(bad);
        await expect(store.release({ ...first, eventId: id })).rejects.toMatchObject(bad);
      },
    );

    it('is refused for the nil UUID, which is nobody’s id', async () => {
      const bad = { code: 'invalid_input' };
      await expect(mark({ ...event, eventId: nil })).rejects.toMatchObject(bad);
      await expect(store.claim({ ...first, eventId: nil }, leaseMs)).rejects.toMatchObject(bad);
    });

    it.each([0, ttlBounds.min - 1, ttlBounds.max + 1, ttlBounds.min + 0.5, Number.NaN])(
      'is refused for a time to live that is not a second to 366 days: %d ms',
      async (ttl) => {
        const { consumer, eventId } = event;
        const marking = store.checkAndMarkProcessed(consumer, eventId, ttl);
        await expect(marking).rejects.toThrow(/a second to 366 days/);
        await expect(store.confirm(first, ttl)).rejects.toThrow(/a second to 366 days/);
        expect(await mark()).toBe(false);
      },
    );

    it.each([0, leaseBounds.min - 1, leaseBounds.max + 1, Number.NaN])(
      'is refused for a lease that is not a second to 15 minutes: %d ms',
      async (ms) => {
        await expect(store.claim(first, ms)).rejects.toThrow(/15 minutes/);
        await expect(store.extend(first, ms)).rejects.toThrow(/15 minutes/);
      },
    );
  });

  givesLeases(harness);
  processesOnce(harness);
  describe('over a wire', () => {
    standsOutages(harness);
  });
  standsInterleavings(harness);
}
