import { describe, expect, it } from 'vitest';
import { applyWorkspace } from '../../src/db/apply.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { enqueueBatch } from '../../src/db/intake.ts';
import { listPosts, listSendTimes, showConfiguration } from '../../src/db/simulate.ts';
import { addBacklog, addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
const { admin, service } = database;

const document = {
  settings: { max_attempts: 7, sending_lease: '45 seconds' },
  credentials: { bot: { platform: 'telegram', secret_ref: 'env:TOKEN' } },
  rate_groups: { telegram: { bot: { rate_rps: 3 } } },
  templates: { news: { body: 'News: {{text}}', defaults: { city: 'Omsk' } } },
  channels: {
    news: {
      platform: 'telegram',
      target_id: '-1001',
      auth_ref: 'bot',
      rate_rps: 0.4,
      window_mode: 'windowed',
      timezone: 'Europe/Moscow',
      posting_window: { mon: [['09:00', '18:00']] },
      route_filter: { include_any: ['lost'] },
      template_ref: 'news@1',
    },
  },
};

async function apply(workspace: string, part: object) {
  const whole = { ...part, workspace };
  return applyWorkspace(admin, { document: whole, prune: false, dryRun: false }, start);
}

describe('show_configuration', () => {
  it('gives a document that makes the same workspace again, with every version of a template', async () => {
    await apply('shown', document);
    await apply('shown', { templates: { news: { body: 'Newer: {{text}}' } } });
    const { document: found, earlierTemplates } = await showConfiguration(service, 'shown');
    for (const templates of earlierTemplates) await apply('again', { templates });
    await apply('again', found);
    const again = await showConfiguration(service, 'again');
    expect(again.document).toEqual({ ...found, workspace: 'again' });
    expect(again.earlierTemplates).toEqual(earlierTemplates);
    expect(found).toMatchObject({
      ...document,
      settings: { max_attempts: 7, sending_lease: '00:00:45' },
      templates: { news: { body: 'Newer: {{text}}' } },
    });
  });

  it('names the credential that a channel sends with now', async () => {
    await apply('rotated', {
      ...document,
      credentials: { ...document.credentials, spare: document.credentials.bot },
    });
    await admin.query(
      `insert into outrider.channel_auth (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
       values ('rotated', 'news', 'spare', $1, $1)`,
      [start],
    );
    const { document: found } = await showConfiguration(service, 'rotated');
    expect(found).toMatchObject({ channels: { news: { auth_ref: 'spare' } } });
  });

  it("leaves the hash of an endpoint's secret out", async () => {
    const secret_hash = 'ab'.repeat(32);
    await apply('guarded', { endpoints: { push: { kind: 'webhook_push', secret_hash } } });
    expect(JSON.stringify(await showConfiguration(service, 'guarded'))).not.toContain(secret_hash);
  });
});

describe('list_posts', () => {
  it('gives posts that intake takes as the same content, in the order in which they came', async () => {
    const workspaceId = await addNewWorkspace(database);
    const posts = [
      { text: 'Lost: a dog #lost', tags: ['Dogs'], parse_mode: 'HTML', source: { page: 4 } },
      { title: 'Found', url: 'https://example.org/?b=1&a=2', fields: { city: 'Omsk', age: 3 } },
      {
        text: '`a  b`',
        parse_mode: 'Markdown',
        buttons: [[{ text: 'Call', url: 'https://example.org' }]],
      },
    ];
    for (const [n, post] of posts.entries()) {
      await enqueueBatch(service, { workspaceId, kind: 'push', items: [post] }, after(n));
    }
    const listed = await listPosts(service, { workspaceId, limit: 10 });
    expect(listed.map(({ receivedAt }) => receivedAt.toISOString())).toEqual(
      [0, 1, 2].map((n) => after(n)),
    );
    const items = listed.map(({ post }) => post);
    const again = await enqueueBatch(service, { workspaceId, kind: 'push', items }, after(60));
    expect(again.items.map((item) => item.verdict === 'accepted' && item.messageId)).toEqual(
      listed.map(({ messageId }) => messageId),
    );
  });

  it('lists a repeated post twice, when it first and when it last came; a limit leaves the newest', async () => {
    const workspaceId = await addNewWorkspace(database);
    for (const [second, text] of ['old', 'new', 'new', 'newer'].entries()) {
      await enqueueBatch(service, { workspaceId, kind: 'push', items: [{ text }] }, after(second));
    }
    const texts = (posts: Awaited<ReturnType<typeof listPosts>>) =>
      posts.map(({ post }) => post['text']);
    expect(texts(await listPosts(service, { workspaceId, limit: 2 }))).toEqual([
      'new',
      'new',
      'newer',
    ]);
    const since = after(1);
    expect(
      texts(await listPosts(service, { workspaceId, since, until: after(2), limit: 9 })),
    ).toEqual(['new']);
  });
});

describe('list_send_times', () => {
  it('counts only what was sent at the first attempt and in one part', async () => {
    const workspaceId = await addNewWorkspace(database);
    await addChannel(admin, workspaceId, 'news');
    await addChannel(admin, workspaceId, 'wall', {
      platform: 'vk',
      target_id: '-1',
      rate_group: 'vk',
    });
    await addBacklog(admin, workspaceId, ['news'], 4);
    const request = { workspaceId, runId: 'run', limit: 4 };
    const [first, second, third, fourth] = await claimDeliveries(service, request, start);
    if (!first || !second || !third || !fourth) throw new Error('four were not claimed');
    await commitOutcomes(service, workspaceId, [sent(first)], after(1));
    await commitOutcomes(service, workspaceId, [sent(second), failed(third)], after(3));
    await commitOutcomes(service, workspaceId, [sent(fourth)], after(5));
    await admin.query(
      `update outrider.deliveries set render_meta = '{"parts": [{}, {}]}' where delivery_id = $1`,
      [fourth.deliveryId],
    );
    const [again] = await claimDeliveries(service, request, after(600));
    if (!again) throw new Error('the failed one was not claimed again');
    await commitOutcomes(service, workspaceId, [sent(again)], after(607));
    expect(await listSendTimes(service, { workspaceId, limit: 100 })).toEqual([
      {
        platform: 'telegram',
        sends: 2,
        quantilesMs: [...Array(6).fill(1000), ...Array(5).fill(3000)],
      },
      { platform: 'vk', sends: 0, quantilesMs: [] },
    ]);
  });
});
