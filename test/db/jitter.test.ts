import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { ingestPush } from '../../src/db/intake.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addEndpoint, hashOf } from '../support/posts/intake.ts';
import { nextSlots, slotsGiven } from '../support/queue/slots.ts';

const database = await useDatabase();
let workspaceId: string;
const settings = { jitter_ms: 400 };

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function claim(now = start, limit = 100): Promise<number> {
  const request = { workspaceId, runId: 'run', limit };
  return (await claimDeliveries(database.service, request, now)).length;
}

const slotsOf = (channelId: string) => slotsGiven(database.admin, workspaceId, channelId);

/** How far each slot is from the one before it; the first, from the start. */
function gaps(slots: readonly number[], first: number): number[] {
  return slots.map((slot, n) => slot - (n === 0 ? first : (slots[n - 1] ?? 0)));
}

describe('a channel with a jitter', () => {
  it('gives slots that are later than its rate asks for, by less than the jitter, never earlier', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 2, settings });
    await addBacklog(database.admin, workspaceId, ['news'], 60);
    await claim();
    const slots = await slotsOf('news');
    const [first = Number.NaN, ...others] = gaps(slots, 0);
    expect(first).toBeGreaterThanOrEqual(0);
    expect(first).toBeLessThanOrEqual(0.4);
    for (const gap of others) {
      expect(gap).toBeGreaterThanOrEqual(0.5 - 1e-9);
      expect(gap).toBeLessThanOrEqual(0.9 + 1e-9);
    }
    // Not all of them by the same.
    expect(Math.max(...others) - Math.min(...others)).toBeGreaterThan(0.1);
    const [next] = await nextSlots(database.admin, workspaceId, 'channel_pace');
    expect(next).toBeCloseTo((slots.at(-1) ?? 0) + 0.5, 5);
  });

  it('keeps the order of arrival and the rate over many claims', async () => {
    await addChannel(database.admin, workspaceId, 'news', {
      rate_rps: 2,
      max_parallel: 2,
      settings: { jitter_ms: 60_000 },
    });
    await addBacklog(database.admin, workspaceId, ['news'], 4);
    await claim();
    await claim(after(1));
    const [first = 0, second = 0] = await slotsOf('news');
    expect(second - first).toBeGreaterThanOrEqual(0.5);
  });

  it('leaves the slots of its group to others until its own has come', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 1 });
    const late = { jitter_ms: 60_000 };
    await addChannel(database.admin, workspaceId, 'a late one', { rate_rps: 10, settings: late });
    await addChannel(database.admin, workspaceId, 'prompt');
    await addBacklog(database.admin, workspaceId, ['a late one', 'prompt'], 3);
    await claim();
    expect(await slotsOf('prompt')).toEqual([0, 1, 2]);
  });

  it('has none without a rate, because it has no slots then', async () => {
    await addChannel(database.admin, workspaceId, 'news', { settings });
    await addBacklog(database.admin, workspaceId, ['news'], 3);
    expect(await claim()).toBe(3);
  });

  it('is no reason to keep a probe back', async () => {
    await setGroup(database.admin, workspaceId, {
      outage_since: start,
      resting_until: start,
      outage_channels: ['news'],
    });
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 1, settings });
    await addDelivery(database.admin, workspaceId, 'news');
    expect(await claim()).toBe(1);
  });

  it('starts no send from a push', async () => {
    await addEndpoint(database.admin, workspaceId, workspaceId);
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 1, settings });
    await setGroup(database.admin, workspaceId, {});
    const rawPayload = JSON.stringify({ text: 'Lost: a ginger dog' });
    const secretHash = hashOf(workspaceId);
    const request = { secretHash, sizeBytes: 100, rawPayload, traceId: null, claimer: 'run' };
    expect((await ingestPush(database.service, request, start)).claimed).toEqual([]);
    expect(await claim(after(0.4))).toBe(0); // it gets its slot now
    expect(await claim(after(0.8))).toBe(1);
  });
});

describe('a channel without a jitter', () => {
  it.each([{}, { jitter_ms: 0 }])('gives exact slots: %j', async (none) => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 2, settings: none });
    await addBacklog(database.admin, workspaceId, ['news'], 4);
    await claim();
    expect(await slotsOf('news')).toEqual([0, 0.5, 1, 1.5]);
  });
});
