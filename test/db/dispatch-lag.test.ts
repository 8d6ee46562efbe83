import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { dispatchLag } from '../../src/db/dispatch.ts';
import { addBacklog, addChannel, addWorkspace, after, setGroup } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let count = 0;
let workspaceId: string;

beforeEach(async () => {
  await database.admin.query(`update outrider.workspaces set status = 'paused'`);
  count += 1;
  workspaceId = `w${count}`;
  await addWorkspace(database.admin, workspaceId);
});

async function lag(seconds: number): Promise<number | null> {
  return (await dispatchLag(database.service, after(seconds))).seconds;
}
const claim = (seconds: number, limit = 1) =>
  claimDeliveries(database.service, { workspaceId, runId: 'run', limit }, after(seconds));

describe('the lag of sending', () => {
  it('is none when nothing waits', async () => {
    expect(await lag(0)).toBeNull();
  });

  it('is how long a delivery has waited for a sender, in any active workspace', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    expect(await lag(90)).toBe(90);
    await database.admin.query(`update outrider.workspaces set status = 'paused'`);
    expect(await lag(90)).toBeNull();
  });

  it('is none while the channel, its group or its posting window is closed', async () => {
    await addChannel(database.admin, workspaceId, 'news', { paused_until: after(100) });
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    expect(await lag(99)).toBeNull();
    expect(await lag(130)).toBe(30);
    await setGroup(database.admin, workspaceId, { cooldown_until: after(200) });
    expect(await lag(199)).toBeNull();
    await database.admin.query(
      `update outrider.channels set window_mode = 'windowed', timezone = 'UTC', posting_window = '{}' where workspace_id = $1`,
      [workspaceId],
    );
    expect(await lag(300)).toBeNull();
  });

  it('is none for a backlog that goes out at its pace', async () => {
    await addChannel(database.admin, workspaceId, 'slow', { rate_rps: 0.1, max_parallel: 1 });
    await addBacklog(database.admin, workspaceId, ['slow'], 100);
    expect(await claim(1000)).toHaveLength(1);
    expect(await lag(1001)).toBeNull();
  });

  it('is none while something of the channel is being sent', async () => {
    await addChannel(database.admin, workspaceId, 'news', { max_parallel: 1 });
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    await claim(1000);
    expect(await lag(1010)).toBeNull();
  });
});
