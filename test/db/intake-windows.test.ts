import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { addChannel, addNewWorkspace, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { type DeliveryRow, deliveriesOf, take } from '../support/posts/intake.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

function deliveries(): Promise<DeliveryRow[]> {
  return deliveriesOf(database.admin, workspaceId);
}

describe('a posting window', () => {
  // 2 March 2026 is a Monday; 10:00 UTC is 13:00 in Moscow.
  const evenings = { mon: [['18:00', '20:00']], tue: [['18:00', '20:00']] };
  const windowed = {
    window_mode: 'windowed',
    timezone: 'Europe/Moscow',
    posting_window: JSON.stringify(evenings),
  };

  async function setWindow(window: unknown): Promise<void> {
    await database.admin.query(
      'update outrider.channels set posting_window = $2 where workspace_id = $1',
      [workspaceId, JSON.stringify(window)],
    );
  }

  it('moves not_before to its next opening', async () => {
    await addChannel(database.admin, workspaceId, 'news', windowed);
    const accepted = await take(database.service, workspaceId, { text: 'Now' });
    const [verdict] = accepted.channels;
    if (verdict?.verdict !== 'queued') throw new Error('not queued');
    expect(new Date(verdict.notBefore).toISOString()).toBe('2026-03-02T15:00:00.000Z');
    expect((await deliveries())[0]?.not_before).toBe('2026-03-02T15:00:00.000Z');
  });

  it('is looked at from the scheduled time on', async () => {
    await addChannel(database.admin, workspaceId, 'news', windowed);
    const post = { text: 'Later', scheduled_for: '2026-03-02T17:30:00Z' };
    await take(database.service, workspaceId, post);
    expect((await deliveries())[0]?.not_before).toBe('2026-03-03T15:00:00.000Z');
  });

  it('that never opens holds a delivery until it is changed', async () => {
    await addChannel(database.admin, workspaceId, 'news', { ...windowed, posting_window: '{}' });
    await take(database.service, workspaceId, { text: 'Now' });
    const request = { workspaceId, runId: 'run', limit: 1 };
    expect(await claimDeliveries(database.service, request, after(86400))).toEqual([]);
    await setWindow({ tue: [['00:00', '24:00']] });
    expect(await claimDeliveries(database.service, request, after(86400))).toHaveLength(1);
  });

  it('that is changed moves what waits for it', async () => {
    await addChannel(database.admin, workspaceId, 'news', windowed);
    await take(database.service, workspaceId, { text: 'Now' });
    await setWindow({ mon: [['14:00', '15:00']] });
    expect((await deliveries())[0]?.not_before).toBe('2026-03-02T11:00:00.000Z');
    await setWindow({ wed: [['14:00', '15:00']] });
    expect((await deliveries())[0]?.not_before).toBe('2026-03-04T11:00:00.000Z');
    await database.admin.query(
      "update outrider.channels set window_mode = 'immediate' where workspace_id = $1",
      [workspaceId],
    );
    const request = { workspaceId, runId: 'run', limit: 1 };
    expect(await claimDeliveries(database.service, request, after(1))).toHaveLength(1);
  });

  it('that is changed leaves what is scheduled for later, and what is being retried', async () => {
    await addChannel(database.admin, workspaceId, 'news', windowed);
    const post = { text: 'Later', scheduled_for: '2026-03-10T16:00:00Z' };
    await take(database.service, workspaceId, post);
    await setWindow({ tue: [['00:00', '24:00']] });
    expect((await deliveries())[0]?.not_before).toBe('2026-03-10T16:00:00.000Z');
  });
});
