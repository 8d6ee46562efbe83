import { describe, expect, it } from 'vitest';
import { beforeCallOf } from '../../src/pull/slots.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

const group = { workspaceId: 'city', platform: 'vk', rateGroup: 'wall' };

/** Waits for a slot that is half a minute away; the look stops where `stops` says. Tells how the wait ended. */
async function waited(stops: 'while the slot is taken' | 'while it waits' | 'never') {
  const look = new AbortController();
  const clock = createManualClock();
  const client = {
    query: async () => {
      if (stops === 'while the slot is taken') look.abort();
      return { rows: [{ slot: '2026-03-02 10:00:30+00', wait_ms: 30_000, shut_until: null }] };
    },
  };
  let ended = 'not yet';
  beforeCallOf({ client, clock }, group, look.signal)().then(
    () => (ended = 'may call'),
    () => (ended = 'stopped'),
  );
  await new Promise(setImmediate);
  if (stops === 'while it waits') look.abort();
  if (stops === 'never') clock.advance(30_000);
  await new Promise(setImmediate);
  return ended;
}

describe('the wait for a slot', () => {
  it('ends when the time of the slot has come', async () => {
    expect(await waited('never')).toBe('may call');
  });

  it.each(['while the slot is taken', 'while it waits'] as const)(
    'ends at once when the look is stopped %s',
    async (stops) => {
      expect(await waited(stops)).toBe('stopped');
    },
  );
});
