import { beforeEach, describe, expect, it } from 'vitest';
import { listCredentials } from '../../src/db/inspect.ts';
import { addChannel, addNewWorkspace, addWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function bind(authRef: string, platform: string, secretRef: string): Promise<void> {
  await database.admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ($1, $2, $3, $4, $5)`,
    [workspaceId, authRef, platform, secretRef, start],
  );
}

describe('list_credentials', () => {
  it('has a row for each credential, with the number of its channels', async () => {
    await bind('news-bot', 'telegram', 'env:NEWS_BOT');
    await bind('spare', 'max', 'file:/run/secrets/max');
    await addChannel(database.admin, workspaceId, 'one', { auth_ref: 'news-bot' });
    await addChannel(database.admin, workspaceId, 'two', { auth_ref: 'news-bot' });
    expect(await listCredentials(database.service, workspaceId)).toEqual([
      { authRef: 'news-bot', platform: 'telegram', secretRef: 'env:NEWS_BOT', channels: 2 },
      { authRef: 'spare', platform: 'max', secretRef: 'file:/run/secrets/max', channels: 0 },
    ]);
  });

  it('counts a channel where its own credential was replaced', async () => {
    await bind('news-bot', 'telegram', 'env:NEWS_BOT');
    await addChannel(database.admin, workspaceId, 'one', { auth_ref: 'old-bot' });
    await database.admin.query(
      `insert into outrider.channel_auth (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
       values ($1, 'one', 'news-bot', $2, $2)`,
      [workspaceId, start],
    );
    expect(await listCredentials(database.service, workspaceId)).toMatchObject([
      { authRef: 'news-bot', channels: 1 },
    ]);
  });

  it('lists what channels name and nobody has bound, without a secret_ref', async () => {
    await addChannel(database.admin, workspaceId, 'one', { auth_ref: 'news-bot' });
    expect(await listCredentials(database.service, workspaceId)).toEqual([
      { authRef: 'news-bot', platform: 'telegram', secretRef: null, channels: 1 },
    ]);
  });

  it('knows nothing of other workspaces', async () => {
    await bind('news-bot', 'telegram', 'env:NEWS_BOT');
    await addWorkspace(database.admin, `${workspaceId}-other`);
    expect(await listCredentials(database.service, `${workspaceId}-other`)).toEqual([]);
  });
});
