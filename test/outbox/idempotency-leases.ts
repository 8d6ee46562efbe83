// What the leases of every idempotency store are.

import { beforeEach, describe, expect, it } from 'vitest';
import {
  type EventKey,
  type IdempotencyStore,
  type Lease,
  leaseBounds,
  ttlBounds,
} from '../../src/outbox/idempotency/store.ts';
import { holderOf, type MovableStore, newEvent, type StoreHarness } from './idempotency-harness.ts';

const { default: leaseMs } = leaseBounds;
const { default: ttlMs } = ttlBounds;

export function givesLeases(harness: () => StoreHarness): void {
  let store: IdempotencyStore;
  let pass: MovableStore['pass'];
  let event: EventKey;
  let first: Lease;
  let second: Lease;

  beforeEach(() => {
    ({ store, pass } = harness().open());
    event = newEvent();
    first = holderOf(event);
    second = holderOf(event);
  });

  const mark = (): Promise<boolean> => store.checkAndMarkProcessed(event.consumer, event.eventId);

  describe('a lease', () => {
    it('is given to one of 50 at once', async () => {
      const claims = Array.from({ length: 50 }, () => store.claim(holderOf(event), leaseMs));
      const answers = await Promise.all(claims);
      expect(answers.toSorted()).toEqual([...Array.from({ length: 49 }, () => 'busy'), 'claimed']);
    });

    it('is given again to whoever holds it, and to nobody else', async () => {
      expect(await store.claim(first, leaseMs)).toBe('claimed');
      expect(await store.claim(first, leaseMs)).toBe('claimed');
      expect(await store.claim(second, leaseMs)).toBe('busy');
    });

    it('is not given of an event that is marked, in whichever way', async () => {
      await mark();
      expect(await store.claim(first, leaseMs)).toBe('processed');

      const other = newEvent();
      const holder = holderOf(other);
      await store.claim(holder, leaseMs);
      await store.confirm(holder, ttlMs);
      expect(await store.claim(holderOf(other), leaseMs)).toBe('processed');
      expect(await store.claim(holder, leaseMs)).toBe('processed');
    });

    it('ends, and then somebody else can take it', async () => {
      await store.claim(first, leaseMs);
      await pass(event, leaseMs - 10_000);
      expect(await store.claim(second, leaseMs)).toBe('busy');
      await pass(event, 10_000);
      expect(await store.claim(second, leaseMs)).toBe('claimed');
      expect(await store.claim(first, leaseMs)).toBe('busy');
    });

    it('lasts from its last extension on', async () => {
      await store.claim(first, leaseMs);
      for (const _ of [1, 2, 3]) {
        await pass(event, leaseMs - 10_000);
        expect(await store.extend(first, leaseMs)).toBe(true);
      }
      await pass(event, leaseMs - 10_000);
      expect(await store.claim(second, leaseMs)).toBe('busy');
      await pass(event, 10_000);
      expect(await store.claim(second, leaseMs)).toBe('claimed');
    });

    it('cannot be extended once it has ended, is confirmed, or is given back', async () => {
      await store.claim(first, leaseMs);
      await pass(event, leaseMs);
      expect(await store.extend(first, leaseMs)).toBe(false);
      expect(await store.claim(second, leaseMs)).toBe('claimed');
      expect(await store.extend(first, leaseMs)).toBe(false);
      await store.release(second);
      expect(await store.extend(second, leaseMs)).toBe(false);
      await store.claim(second, leaseMs);
      await store.confirm(second, ttlMs);
      expect(await store.extend(second, leaseMs)).toBe(false);
      expect(await mark()).toBe(true);
    });
  });

  describe('confirm', () => {
    it.each([ttlBounds.min, ttlBounds.max])(
      'keeps the mark for %d ms and no longer',
      async (ttl) => {
        await store.claim(first, leaseMs);
        expect(await store.confirm(first, ttl)).toBe(true);
        await pass(event, ttl - 60_000);
        expect(await store.claim(second, leaseMs)).toBe('processed');
        await pass(event, 60_000);
        expect(await store.claim(second, leaseMs)).toBe('claimed');
      },
    );

    it('can be repeated by its holder, whose answer was lost', async () => {
      await store.claim(first, leaseMs);
      expect([await store.confirm(first, ttlMs), await store.confirm(first, ttlMs)]).toEqual([
        true,
        true,
      ]);
    });

    it('changes nothing when another has the event by now', async () => {
      await store.claim(first, leaseMs);
      await pass(event, leaseMs);
      await store.claim(second, leaseMs);
      expect(await store.confirm(first, ttlMs)).toBe(false);
      expect(await store.extend(second, leaseMs)).toBe(true);
      expect(await store.release(second)).toBe(true);
      expect(await store.claim(holderOf(event), leaseMs)).toBe('claimed');
    });

    it('changes nothing when another has processed the event', async () => {
      await store.claim(first, leaseMs);
      await pass(event, leaseMs);
      await store.claim(second, leaseMs);
      await store.confirm(second, ttlMs);
      await pass(event, ttlMs - 60_000);
      expect(await store.confirm(first, ttlMs)).toBe(false);
      await pass(event, 60_000);
      expect(await mark()).toBe(false);
    });

    it('does not take a mark over that was made without a lease', async () => {
      await mark();
      expect(await store.confirm(first, ttlMs)).toBe(false);
    });

    it.each([
      { title: 'a lease that has ended', meanwhile: async () => undefined },
      {
        title: 'a lease that another took and gave back',
        meanwhile: async () => {
          await store.claim(second, leaseMs);
          await store.release(second);
        },
      },
      {
        title: 'a lease that another took and let end',
        meanwhile: async () => {
          await store.claim(second, leaseMs);
          await pass(event, leaseMs);
        },
      },
    ])('marks the effect that was applied under $title', async ({ meanwhile }) => {
      await store.claim(first, leaseMs);
      await pass(event, leaseMs);
      await meanwhile();
      expect(await store.confirm(first, ttlMs)).toBe(true);
      expect(await store.claim(second, leaseMs)).toBe('processed');
    });
  });

  describe('release', () => {
    it('lets the next one have the event at once', async () => {
      await store.claim(first, leaseMs);
      expect(await store.release(first)).toBe(true);
      expect(await store.release(first)).toBe(false);
      expect(await store.claim(second, leaseMs)).toBe('claimed');
    });

    it('says when there was nothing left to give back', async () => {
      await store.claim(first, leaseMs);
      await pass(event, leaseMs);
      expect(await store.release(first)).toBe(false);
      expect(await store.claim(second, leaseMs)).toBe('claimed');
    });

    it("does not touch another's lease, nor a mark", async () => {
      await store.claim(first, leaseMs);
      expect(await store.release(second)).toBe(false);
      expect(await store.claim(second, leaseMs)).toBe('busy');
      await store.confirm(first, ttlMs);
      expect(await store.release(first)).toBe(false);
      expect(await store.claim(second, leaseMs)).toBe('processed');
    });
  });
}
