import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { moveChannel } from '../../src/db/apply.ts';
import { forgetMediaBlob, keepMediaBlob, keepMediaOrigin } from '../../src/db/media.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { hashOf } from '../support/posts/intake.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

describe('the origin of a blob', () => {
  const origin = {
    blobRef: 'photo',
    originUrl: 'folder:aa/1',
    sha256: hashOf('photo'),
    contentType: 'image/png',
    sizeBytes: 5,
  };

  it('is kept once, at the address that its bytes were last put to', async () => {
    await keepMediaOrigin(database.service, { workspaceId, ...origin }, start);
    const moved = { workspaceId, ...origin, originUrl: 's3:aa/1' };
    await keepMediaOrigin(database.service, moved, after(60));
    await keepMediaOrigin(database.service, moved, after(30));
    const row = await queryRow(
      database.admin,
      z.object({ origin_url: z.string(), seen: z.boolean(), created: z.boolean() }),
      `select origin_url, last_seen_at = $2 as seen, created_at = $3 as created
       from outrider.media_origin where workspace_id = $1`,
      [workspaceId, after(60), start],
    );
    expect(row).toEqual({ origin_url: 's3:aa/1', seen: true, created: true });
  });

  it.each(['folder:aa/1', 's3:aa/1'])(
    "in a store that all workspaces share is recorded by Outrider's own processes only: %s",
    async (originUrl) => {
      const tenant = await database.connectAs({
        workspaces: [workspaceId],
        roles: ['outrider_ingest', 'outrider_worker', 'outrider_reader'],
      });
      await expect(
        keepMediaOrigin(tenant, { workspaceId, ...origin, originUrl }),
      ).rejects.toMatchObject({
        sqlstate: 'OR003',
        message: expect.stringMatching(/may not name files in the store of Outrider$/),
      });
      const own = { ...origin, originUrl: 's3://bucket-of-the-tenant/1' };
      await keepMediaOrigin(tenant, { workspaceId, ...own });
      const rows = await queryRows(
        database.admin,
        z.object({ origin_url: z.string() }),
        'select origin_url from outrider.media_origin where workspace_id = $1',
        [workspaceId],
      );
      expect(rows).toEqual([{ origin_url: own.originUrl }]);
    },
  );
});

describe("a provider's copy", () => {
  const copy = { blobRef: 'photo', provider: 'telegram', authRef: 'bot', fileId: 'f1' };

  async function kept(): Promise<string[]> {
    const rows = await queryRows(
      database.admin,
      z.object({ kept: z.string() }),
      `select concat_ws(' ', auth_ref, file_id, expires_at is not null) as kept
       from outrider.media_blobs where workspace_id = $1 order by auth_ref`,
      [workspaceId],
    );
    return rows.map((row) => row.kept);
  }

  it('belongs to the credential that made it, and the latest name counts', async () => {
    const own = { workspaceId, ...copy };
    await keepMediaBlob(database.service, { ...own, expiresAt: null }, start);
    await keepMediaBlob(database.service, { ...own, fileId: 'f2', expiresAt: after(9) }, start);
    await keepMediaBlob(database.service, { ...own, authRef: 'bot-2', expiresAt: null }, start);
    expect(await kept()).toEqual(['bot f2 t', 'bot-2 f1 f']);
  });

  it('is forgotten only under the name that failed', async () => {
    await keepMediaBlob(database.service, { workspaceId, ...copy, expiresAt: null }, start);
    const other = { workspaceId, ...copy, fileId: 'f0' };
    expect(await forgetMediaBlob(database.service, other)).toBe(false);
    expect(await kept()).toHaveLength(1);
    expect(await forgetMediaBlob(database.service, { workspaceId, ...copy })).toBe(true);
    expect(await kept()).toEqual([]);
  });
});

describe('a chat that was moved', () => {
  async function targets(): Promise<string[]> {
    const rows = await queryRows(
      database.admin,
      z.object({ target_id: z.string() }),
      'select target_id from outrider.channels where workspace_id = $1 order by channel_id',
      [workspaceId],
    );
    return rows.map((row) => row.target_id);
  }

  it('is followed, with a record', async () => {
    await addChannel(database.admin, workspaceId, 'news', { target_id: '-5' });
    const move = { workspaceId, channelId: 'news', targetId: '-1005' };
    expect(await moveChannel(database.service, move, start)).toBe(true);
    expect(await moveChannel(database.service, move, start)).toBe(false);
    expect(await targets()).toEqual(['-1005']);
    const event = await queryRows(
      database.admin,
      z.object({ meta: z.unknown() }),
      `select meta from outrider.events where workspace_id = $1 and action = 'channel_moved'`,
      [workspaceId],
    );
    expect(event).toEqual([{ meta: { from_target: '-5', to_target: '-1005' } }]);
  });

  it('is not followed to where another channel is', async () => {
    await addChannel(database.admin, workspaceId, 'a', { target_id: '-5' });
    await addChannel(database.admin, workspaceId, 'b', { target_id: '-1005' });
    const move = { workspaceId, channelId: 'a', targetId: '-1005' };
    expect(await moveChannel(database.service, move, start)).toBe(false);
    expect(await targets()).toEqual(['-5', '-1005']);
  });
});
