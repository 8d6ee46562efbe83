// What processOnce does on every idempotency store when the store is away: nothing is applied unseen, nothing is
// lost, and nobody waits for ever.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { processOnce } from '../../src/outbox/idempotency/process-once.ts';
import {
  type EventKey,
  type IdempotencyStore,
  leaseBounds,
} from '../../src/outbox/idempotency/store.ts';
import type { TcpProxy } from '../support/http/tcp-proxy.ts';
import { createManualClock } from '../support/time/manual-clock.ts';
import { holderOf, newEvent, type StoreHarness, type WiredStore } from './idempotency-harness.ts';

const { default: leaseMs } = leaseBounds;
const away = { code: expect.stringMatching(/^(store|database)_away$/) };

const outages = [
  {
    title: 'stopped',
    begin: async (wire: TcpProxy) => {
      await wire.greet('refused');
      wire.cut();
    },
  },
  {
    title: 'silent',
    begin: async (wire: TcpProxy) => {
      await wire.greet('left');
      wire.freeze();
    },
  },
];

async function end(wire: TcpProxy): Promise<void> {
  wire.cut();
  await wire.greet('served');
}

export function standsOutages(harness: () => StoreHarness): void {
  let wired: WiredStore;
  let store: IdempotencyStore;
  let wire: TcpProxy;
  let event: EventKey;
  let effects: number;

  beforeEach(async () => {
    wired = await harness().openWired();
    ({ store, wire } = wired);
    event = newEvent();
    effects = 0;
    // The connection may take longer than an answer: once it is there, what follows is a matter of milliseconds.
    const connect = () => store.checkAndMarkProcessed('warm-up', event.eventId);
    await vi.waitFor(connect, { timeout: 30_000 });
  });
  afterEach(() => wired.close());

  const applyEffect = async (): Promise<void> => {
    effects += 1;
  };

  describe.each(outages)('while the store is $title', ({ begin }) => {
    it('an event is not processed, and is when the store is back', async () => {
      await begin(wire);
      await expect(processOnce(store, event, applyEffect)).rejects.toMatchObject(away);
      await expect(processOnce(store, event, applyEffect)).rejects.toMatchObject(away);
      expect(effects).toBe(0);
      await end(wire);
      // A claim whose answer was lost may stand until its lease ends.
      const next = newEvent();
      await vi.waitFor(
        async () => expect(await processOnce(store, next, applyEffect)).toBe('processed'),
        { timeout: 30_000 },
      );
      expect(effects).toBe(1);
    });

    it('every method says so', async () => {
      await begin(wire);
      const lease = holderOf(event);
      const calls = [
        store.checkAndMarkProcessed(event.consumer, event.eventId),
        store.claim(lease, leaseMs),
        store.extend(lease, leaseMs),
        store.confirm(lease, 604_800_000),
        store.release(lease),
      ];
      for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');
      for (const call of calls) await expect(call).rejects.toMatchObject(away);
    });

    it('what it says holds no address and no password', async () => {
      await begin(wire);
      const error: unknown = await store.claim(holderOf(event), leaseMs).catch((e: unknown) => e);
      const said = `${String(error)} ${JSON.stringify(error)}`;
      expect(said).not.toMatch(/127\.0\.0\.1|:\d{4,5}|:\/\//);
    });

    it('the error of a handler is what the caller hears', async () => {
      const failure = new Error('the mail server is down');
      const processing = processOnce(store, event, async () => {
        await begin(wire);
        throw failure;
      });
      await expect(processing).rejects.toBe(failure);
    });

    it('an effect that was applied is marked when the store is back within the lease', async () => {
      const isAway = Promise.withResolvers<void>();
      const processing = processOnce(store, event, async () => {
        await begin(wire);
        await applyEffect();
        isAway.resolve();
      });
      await isAway.promise;
      await end(wire);
      expect(await processing).toBe('processed');
      expect(await processOnce(store, event, applyEffect)).toBe('duplicate');
      expect(effects).toBe(1);
    });

    it('an effect that cannot be marked is told of, once the lease is over', async () => {
      const clock = createManualClock();
      const handler = async (): Promise<void> => {
        await begin(wire);
        await applyEffect();
        clock.advance(leaseMs - 50);
      };
      await expect(processOnce(store, event, handler, clock)).rejects.toMatchObject({
        code: 'not_confirmed',
        message: expect.stringContaining(event.eventId),
      });
      expect(clock.waiting()).toBe(0);
    });

    it('a handler is told at the end of its lease at the latest', async () => {
      const clock = createManualClock();
      const processing = processOnce(
        store,
        event,
        async (signal) => {
          await begin(wire);
          clock.advance(leaseMs - 50);
          expect(signal.aborted).toBe(false);
          clock.advance(50);
          signal.throwIfAborted();
        },
        clock,
      );
      await expect(processing).rejects.toMatchObject({ code: 'lease_lost' });
    });
  });

  it('an answer that comes after the end of the lease is no licence to begin', async () => {
    const clock = createManualClock();
    const slow: IdempotencyStore = {
      ...store,
      async claim(...args) {
        const answer = await store.claim(...args);
        clock.advance(leaseMs);
        return answer;
      },
    };
    expect(await processOnce(slow, event, applyEffect, clock)).toBe('busy');
    expect(effects).toBe(0);
    expect(await processOnce(store, event, applyEffect)).toBe('processed');
  });
}
