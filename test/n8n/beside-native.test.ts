import { describe, expect, it } from 'vitest';
import { setGroup } from '../support/database/seed.ts';
import { useN8n } from '../support/fixtures/n8n.ts';
import { orchestrate } from '../support/n8n/orchestrated.ts';

const stage = await useN8n();

const pace = 4;
const groupPace = 8;

/** The least time in which so many calls, one more, and the one at the edge were made. */
function leastSpan(times: readonly number[], calls: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.min(
    ...sorted.map((at, n) => (sorted[n + calls + 1] ?? Number.POSITIVE_INFINITY) - at),
  );
}

describe('n8n and a native dispatcher at the same time', () => {
  it('send nothing twice, and keep the paces of channels and of their group together', async () => {
    const city = await orchestrate(stage, {
      counts: { telegram: 3 },
      columns: { rate_rps: pace },
      settings: { claim_per_channel: 20 },
    });
    await setGroup(stage.database.admin, city.workspaceId, {
      rate_group: 'telegram',
      rate_rps: groupPace,
    });
    const texts = Array.from({ length: 40 }, (_, n) => `Post ${n + 1}`);
    await city.enqueue(texts);
    // n8n is in the middle of its run when the native dispatcher begins.
    await expect.poll(async () => (await city.actions()).includes('sent')).toBe(true);
    const native = await stage.openNative({ pollMs: 1500 }); // it looks seldom, so that n8n keeps its share
    try {
      await native.start(['dispatch']);
      await expect
        .poll(async () => (await city.deliveries()).filter(({ status }) => status !== 'sent'))
        .toEqual([]);
    } finally {
      await native.stop();
    }
    for (const shown of Object.values(city.shown())) {
      expect(shown.toSorted()).toEqual(texts.toSorted());
    }
    const times = city.channels.map(({ targetId }) => {
      const chat = stage.sandbox.telegram.simulator.chats().find(({ chat: id }) => id === targetId);
      return (chat?.posts ?? []).map((post) => Date.parse(post.sentAt));
    });
    for (const each of times) expect(leastSpan(each, pace)).toBeGreaterThanOrEqual(900);
    // The calls of n8n come some tenths of a second after their slots, and chats tell whole seconds: so over three of them.
    expect(leastSpan(times.flat(), 3 * groupPace)).toBeGreaterThanOrEqual(2000);

    const sends = (await city.events()).filter(({ action }) => action === 'send_attempt');
    const byN8n = sends.filter(({ run_id }) => run_id?.startsWith('n8n '));
    const byNative = sends.filter(({ run_id }) => !run_id?.startsWith('n8n '));
    expect(byN8n).not.toEqual([]);
    expect(byNative).not.toEqual([]);
  });
});
