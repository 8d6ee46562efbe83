import { describe, expect, it } from 'vitest';
import type { Deliver } from '../../src/dispatch/deliver.ts';
import { setGroup } from '../support/database/seed.ts';
import { useN8n } from '../support/fixtures/n8n.ts';
import { orchestrate } from '../support/n8n/orchestrated.ts';

const stage = await useN8n();

const pace = 4;
const groupPace = 8;
const share = 20;

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
      columns: { rate_rps: pace, max_parallel: 1 },
    });
    await setGroup(stage.database.admin, city.workspaceId, {
      rate_group: 'telegram',
      rate_rps: groupPace,
    });
    const texts = Array.from({ length: 24 }, (_, n) => `Post ${n + 1}`);
    const sent = { all: 0, byNative: 0 };
    stage.aroundSend = async (send) => {
      const outcome = await send();
      sent.all += 1;
      return outcome;
    };
    const around =
      (deliver: Deliver): Deliver =>
      async (...send) => {
        const outcome = await deliver(...send);
        sent.byNative += 1;
        return outcome;
      };
    await city.enqueue(texts);
    // The native dispatcher begins when n8n has sent something, and stops when it has sent its share. What is left then is sent
    // by n8n.
    await expect.poll(() => sent.all).toBeGreaterThan(0);
    const beforeNative = sent.all;
    const native = await stage.openNative({ around });
    try {
      await native.start(['dispatch']);
      await expect.poll(() => sent.byNative).toBeGreaterThanOrEqual(share);
    } finally {
      await native.stop();
    }
    await expect
      .poll(async () => (await city.deliveries()).filter(({ status }) => status !== 'sent'))
      .toEqual([]);
    expect(sent.all - sent.byNative).toBeGreaterThan(beforeNative);
    for (const shown of Object.values(city.shown())) {
      expect(shown.toSorted()).toEqual(texts.toSorted());
    }
    const times = city.channels.map(({ targetId }) => {
      const chat = stage.sandbox.telegram.simulator.chats().find(({ chat: id }) => id === targetId);
      return (chat?.posts ?? []).map((post) => Date.parse(post.sentAt));
    });
    // One call of each channel is under way at a time and may be late. The slots of those behind it lie after it, at their pace.
    for (const each of times) expect(leastSpan(each, pace)).toBeGreaterThanOrEqual(900);
    // Of the group three may be late, and chats tell whole seconds: so over three of them.
    expect(leastSpan(times.flat(), 3 * groupPace)).toBeGreaterThanOrEqual(2000);
  });
});
