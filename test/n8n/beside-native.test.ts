import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { useN8n } from '../support/fixtures/n8n.ts';
import { orchestrate } from '../support/n8n/orchestrated.ts';

const stage = await useN8n();
const { database } = stage;

describe('n8n and a native dispatcher at the same time', () => {
  it('send nothing twice and keep the pace together', async () => {
    const pace = 4;
    const city = await orchestrate(stage, {
      counts: { telegram: 3 },
      columns: { rate_rps: pace },
      settings: { claim_per_channel: 20 },
    });
    const native = await stage.openNative({ pollMs: 1500 }); // it looks seldom, so that n8n has its share
    const texts = Array.from({ length: 30 }, (_, n) => `Post ${n + 1}`);
    try {
      await native.start(['dispatch']);
      for (const text of texts) expect(await city.push({ text })).toMatchObject({ status: 202 });
      await expect
        .poll(async () => (await city.deliveries()).filter(({ status }) => status !== 'sent'), {
          timeout: 150_000,
        })
        .toEqual([]);
    } finally {
      await native.stop();
    }
    for (const shown of Object.values(city.shown())) {
      expect(shown.toSorted()).toEqual(texts.toSorted());
    }
    for (const { targetId } of city.channels) {
      const chat = stage.sandbox.telegram.simulator.chats().find(({ chat: id }) => id === targetId);
      const times = (chat?.posts ?? [])
        .map((post) => Date.parse(post.sentAt))
        .toSorted((a, b) => a - b);
      // Nowhere does a second see more than the pace and the one at its edge.
      const spans = times.flatMap(
        (at, n) => (times[n + pace + 1] ?? Number.POSITIVE_INFINITY) - at,
      );
      expect(Math.min(...spans)).toBeGreaterThanOrEqual(900);
    }
    const Run = z.object({ run_id: z.string() });
    const runs = await queryRows(
      database.admin,
      Run,
      `select distinct case when meta ->> 'run_id' like 'n8n %' then 'n8n' else 'native' end as run_id
       from outrider.events where workspace_id = $1 and action = 'send_attempt' order by 1`,
      [city.workspaceId],
    );
    expect(runs).toEqual([{ run_id: 'n8n' }, { run_id: 'native' }]);
  });
});
