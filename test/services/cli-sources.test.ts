import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { failPull, listPullSources, pullNow } from '../../src/db/pull.ts';
import { runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { addSource } from '../support/pull/pull-ground.ts';
import { startVk, type VkSandbox, wall } from '../support/sandbox/vk-sandbox.ts';

const database = await useDatabase();
const { admin, service } = database;
const undo = useUndo();
let workspaceId: string;
let vk: VkSandbox;

beforeEach(async () => {
  workspaceId = database.newWorkspaceId();
  await addWorkspace(admin, workspaceId);
  await addChannel(admin, workspaceId, 'news');
  await admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ($1, 'vk-token', 'vk', 'env:VK', now())`,
    [workspaceId],
  );
  const config = { owners: [wall], auth_ref: 'vk-token', tags: ['pets'] };
  await addSource(admin, { workspaceId, sourceId: 'pets', kind: 'vk_wall', config });
  vk = await startVk();
  undo.push(() => vk.close());
});

function run(...args: string[]) {
  const env = { VK: vk.tokens.service, VK_API_URL: vk.server.url, OUTRIDER_WORKSPACE: workspaceId };
  return runOutrider(['sources', ...args], { databaseUrl: database.url, env });
}

const post = (text: string) => vk.control('posts', { owner_id: wall, posts: [{ text }] });

describe('outrider sources', () => {
  it('shows what the next pull would bring without taking it in, pulls it, and lists it', async () => {
    post('Lost dog');
    const test = await run('test', 'pets', '--json');
    expect(JSON.parse(test.out)).toMatchObject({
      has_more: false,
      items: [
        { item_ref: `${wall}_1`, is_taken: false, post: { text: 'Lost dog', tags: ['pets'] } },
      ],
    });
    const [before] = await listPullSources(service, workspaceId);
    expect(before).toMatchObject({ itemsTaken: 0, cursor: {}, pulledAt: null });

    const pulled = await run('pull', 'pets', '--reason', 'to see it', '--json');
    expect([pulled.code, pulled.err]).toEqual([0, '']);
    expect(JSON.parse(pulled.out)).toMatchObject({
      outcome: 'done',
      accepted: 1,
      items: [{ item_ref: `${wall}_1`, verdict: 'accepted' }],
    });
    const listed = await run('list');
    expect(tabbed(listed.out)).toEqual([
      expect.objectContaining({ source_id: 'pets', state: 'waiting', items_taken: '1' }),
    ]);
    const { rows } = await admin.query(
      `select meta ->> 'reason' as reason from outrider.events
       where workspace_id = $1 and action = 'manual_pull'`,
      [workspaceId],
    );
    expect(rows).toEqual([{ reason: 'to see it' }]);
  });

  it('shows of several walls what can be read, and names the one that cannot', async () => {
    const config = { owners: [wall, 'nosuchwall'], auth_ref: 'vk-token' };
    await addSource(admin, { workspaceId, sourceId: 'both', kind: 'vk_wall', config });
    const refused = 'wall nosuchwall: VK answers with error 100';
    const none = await run('test', 'both');
    expect([none.code, none.out]).toEqual([1, '']);
    expect(none.err).toContain(`both cannot be read: ${refused}`);

    post('Lost dog');
    post('Lost cat');
    const some = await run('test', 'both');
    expect([some.code, tabbed(some.out)]).toEqual([1, [expect.anything(), expect.anything()]]);
    expect(some.err).toContain(refused);
    const told = await run('test', 'both', '--json');
    expect(told.code).toBe(1);
    expect(JSON.parse(told.out)).toMatchObject({
      has_more: false,
      items: [{}, {}],
      fault: { message: expect.stringContaining(refused) },
    });

    const first = { owners: ['nosuchwall', wall], auth_ref: 'vk-token' };
    await addSource(admin, { workspaceId, sourceId: 'bad-first', kind: 'vk_wall', config: first });
    const cut = await run('test', 'bad-first', '--limit', '1');
    expect([cut.code, tabbed(cut.out)]).toEqual([1, [expect.anything()]]);
    expect(cut.err).toContain(refused);
    const [kept] = await listPullSources(service, workspaceId);
    expect(kept).toMatchObject({ sourceId: 'bad-first', itemsTaken: 0, cursor: {} });
  });

  it('refuses in words what it cannot read, and says who else reads it', async () => {
    const missing = await run('test', 'pet');
    expect([missing.code, missing.out]).toEqual([1, '']);
    expect(missing.err).toContain('there is no pull source "pet"');
    expect(missing.err).toContain('did you mean pets?');

    vk.control('fail', { code: 15, method: 'wall.get', times: 1 });
    const refused = await run('test', 'pets');
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/pets cannot be read: wall -500: VK answers with error 15/);

    const order = { workspaceId, sourceId: 'pets', runId: 'other', lease: '1 hour' };
    const claimed = await pullNow(service, { ...order, operator: 'ann', reason: 'test' });
    const busy = await run('pull', 'pets');
    expect(busy.code).toBe(1);
    expect(busy.err).toContain('somebody reads this source at this moment');

    const lease = z.object({ leaseToken: z.string() }).parse(claimed);
    const failed = { ...order, ...lease, error: 'it is away', retryAfter: null };
    await failPull(service, failed);
    const [row] = tabbed((await run()).out);
    expect(row).toMatchObject({ state: 'failing', last_error: 'it is away', failures: '1' });
  });
});
