import { beforeEach, describe, expect, it } from 'vitest';
import { apply } from '../support/database/configuration.ts';
import { addChannel, addNewWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take, verdicts } from '../support/posts/intake.ts';

// Which media a channel may leave to its platform by a link, as its settings say.

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

const channel = (platform: string, media_upload: unknown) =>
  addChannel(database.admin, workspaceId, platform, {
    platform,
    settings: JSON.stringify({ media_upload }),
  });

async function verdictOn(platform: string, type: string): Promise<string | undefined> {
  const post = { text: `A ${type}`, media: [{ type, url: 'https://example.org/a' }] };
  return verdicts(await take(database.service, workspaceId, post))[platform];
}

describe('the upload policy of a channel', () => {
  it.each([
    ['max', 'image', { image: 'url_allowed' }, 'queued'],
    ['max', 'image', { other: 'url_allowed' }, 'validation_failed'],
    ['max', 'image', {}, 'validation_failed'],
    ['max', 'animation', { other: 'url_allowed' }, 'queued'],
    ['max', 'animation', { image: 'url_allowed' }, 'validation_failed'],
    ['max', 'video', { video: 'upload_required' }, 'validation_failed'],
    ['telegram', 'video', {}, 'queued'],
    ['telegram', 'video', { video: 'upload_required' }, 'validation_failed'],
    ['telegram', 'image', { video: 'upload_required' }, 'queued'],
    ['telegram', 'animation', { other: 'upload_required' }, 'validation_failed'],
    ['vk', 'image', { image: 'upload_required' }, 'validation_failed'],
  ])('decides about a link: %s %s %j', async (platform, type, policy, verdict) => {
    await channel(platform, policy);
    expect(await verdictOn(platform, type)).toBe(verdict);
  });

  it.each([
    ['max', 'video', 'MAX'],
    ['max', 'audio', 'MAX'],
    ['max', 'file', 'MAX'],
    ['vk', 'image', 'VK'],
    ['vk', 'other', 'VK'],
    ['vk', 'audio', 'VK'],
  ])('is refused where the adapter cannot do it: %s %s', async (platform, type, title) => {
    const fault = `settings.media_upload.${type} must be upload_required: ${title} fetches no such media by a link`;
    const settings = { media_upload: { [type]: 'url_allowed' } };
    await expect(channel(platform, settings.media_upload)).rejects.toMatchObject({
      code: 'OR001',
      message: `channel "${platform}": ${fault}`,
    });
    const channels = { news: { platform, target_id: '-5', auth_ref: 'bot', settings } };
    await expect(
      apply(database.service, { workspace: database.newWorkspaceId(), channels }),
    ).rejects.toMatchObject({ message: expect.stringContaining(fault) });
  });

  it.each([
    ['an unknown type', { picture: 'url_allowed' }],
    ['an unknown policy', { image: 'maybe' }],
    ['a number', { image: 7 }],
    ['a list', ['image']],
    ['a text', 'url_allowed'],
  ])('is refused with %s', async (_title, policy) => {
    await expect(channel('telegram', policy)).rejects.toMatchObject({
      constraint: 'media_upload_maps_types_of_media_to_policies',
    });
    const channels = {
      news: {
        platform: 'telegram',
        target_id: '-5',
        auth_ref: 'bot',
        settings: { media_upload: policy },
      },
    };
    await expect(
      apply(database.service, { workspace: database.newWorkspaceId(), channels }),
    ).rejects.toMatchObject({
      message: expect.stringContaining(
        'settings.media_upload may have image, video, audio, file and other',
      ),
    });
  });

  it('is judged anew when the channel is moved to another platform', async () => {
    await channel('telegram', { video: 'url_allowed' });
    await expect(
      database.admin.query(
        `update outrider.channels set platform = 'max' where workspace_id = $1`,
        [workspaceId],
      ),
    ).rejects.toMatchObject({ code: 'OR001' });
  });
});
