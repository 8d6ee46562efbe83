import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries, saveProgress } from '../../src/db/claim.ts';
import { commitOutcomes, type GivenError } from '../../src/db/commit.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import {
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
  await addDelivery(database.admin, workspaceId, 'news', {
    render_meta: JSON.stringify({ format: 'HTML' }),
  });
});

async function claimOne(now = start): Promise<ClaimedDelivery & { workspaceId: string }> {
  const request = { workspaceId, runId: 'run', limit: 1 };
  const [claimed] = await claimDeliveries(database.service, request, now);
  if (claimed === undefined) throw new Error('nothing was claimed');
  return { workspaceId, ...claimed };
}

/** What stands in render_meta. */
async function renderMeta(): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    'select render_meta from outrider.deliveries where workspace_id = $1',
    [workspaceId],
  );
  return rows;
}

/** render_meta as it should be: what was there, and the acknowledged parts. */
function progress(items: number[], ids: string[]): unknown[] {
  const series = { sent_items: items, provider_message_ids: ids };
  return [{ render_meta: { format: 'HTML', series_progress: series } }];
}

const part = (item: number, providerMessageId: string) => ({ item, providerMessageId });
const transient: GivenError = { category: 'TRANSIENT', scope: 'delivery', code: '500' };

describe('an acknowledged part', () => {
  it('is kept at once, beside the rest of render_meta', async () => {
    const held = await claimOne();
    expect(await saveProgress(database.service, held, [part(0, '41')], start)).toBe(true);
    expect(await renderMeta()).toEqual(progress([0], ['41']));
  });

  it('settles whether an earlier attempt arrived: the part in doubt is the first that was open', async () => {
    const held = await claimOne();
    const unknown = { ...transient, code: 'outcome_unknown' };
    const failed = { ...held, ok: false, error: unknown } as const;
    await commitOutcomes(database.service, workspaceId, [failed], start);
    const again = await claimOne(after(600));
    expect(again.outcomeUnknown).toBe(true);
    await saveProgress(database.service, again, [part(0, '41')], after(600));
    const refused = { ...transient, code: '429' };
    const later = { ...again, ok: false, error: refused } as const;
    await commitOutcomes(database.service, workspaceId, [later], after(600));
    expect((await claimOne(after(3600))).outcomeUnknown).toBe(false);
  });

  it('joins those kept before, in the order of the items', async () => {
    const held = await claimOne();
    await saveProgress(database.service, held, [part(2, '43')], start);
    await saveProgress(database.service, held, [part(10, '51'), part(0, '41')], start);
    await saveProgress(database.service, held, [part(1, '42')], start);
    expect(await renderMeta()).toEqual(progress([0, 1, 2, 10], ['41', '42', '43', '51']));
  });

  it('is kept once: the first acknowledgement of an item stands', async () => {
    const held = await claimOne();
    await saveProgress(database.service, held, [part(0, '41')], start);
    await saveProgress(database.service, held, [part(0, '99'), part(1, '42')], start);
    expect(await renderMeta()).toEqual(progress([0, 1], ['41', '42']));
  });

  it('outlives the failure of a later part, so that the retry begins there', async () => {
    const held = await claimOne();
    await saveProgress(database.service, held, [part(0, '41')], start);
    const failed = { ...held, ok: false, error: transient, parts: [part(1, '42')] } as const;
    await commitOutcomes(database.service, workspaceId, [failed], start);
    const again = await claimOne(after(60));
    expect(again.renderMeta['series_progress']).toEqual({
      sent_items: [0, 1],
      provider_message_ids: ['41', '42'],
    });
  });

  it('outlives its sender', async () => {
    const held = await claimOne();
    await saveProgress(database.service, held, [part(0, '41')], start);
    await recoverLeases(database.service, workspaceId, after(301));
    expect(await renderMeta()).toEqual(progress([0], ['41']));
  });

  it('comes with a success as well, into render_meta and the event', async () => {
    const held = await claimOne();
    await saveProgress(database.service, held, [part(0, '41')], start);
    const parts = [part(0, '41'), part(1, '42')];
    const sent = { ...held, ok: true, providerMessageId: '41', parts } as const;
    await commitOutcomes(database.service, workspaceId, [sent], start);
    expect(await renderMeta()).toEqual(progress([0, 1], ['41', '42']));
    const { rows } = await database.admin.query(
      "select meta->'parts' as parts from outrider.events where workspace_id = $1 and action = 'sent'",
      [workspaceId],
    );
    expect(rows).toEqual([
      {
        parts: [
          { item: 0, provider_message_id: '41' },
          { item: 1, provider_message_id: '42' },
        ],
      },
    ]);
  });

  it('is named in the event of a failure', async () => {
    const held = await claimOne();
    const failed = { ...held, ok: false, error: transient, parts: [part(0, '41')] } as const;
    await commitOutcomes(database.service, workspaceId, [failed], start);
    const { rows } = await database.admin.query(
      "select meta->'parts' as parts from outrider.events where workspace_id = $1 and action = 'retry_scheduled'",
      [workspaceId],
    );
    expect(rows).toEqual([{ parts: [{ item: 0, provider_message_id: '41' }] }]);
  });
});

describe('a delivery without parts', () => {
  it('has its render_meta left as it was', async () => {
    const held = await claimOne();
    const sent = { ...held, ok: true, providerMessageId: '41', parts: [] } as const;
    await commitOutcomes(database.service, workspaceId, [sent], start);
    expect(await renderMeta()).toEqual([{ render_meta: { format: 'HTML' } }]);
  });
});
