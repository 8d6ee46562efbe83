import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readSource } from '../../src/cli/apply/source.ts';
import { applyWorkspace } from '../../src/db/apply.ts';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { lostPets } from '../../src/lost-pets/lost-pets.ts';
import { addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addTemplate, composePost } from '../support/posts/composed-posts.ts';

const database = await useDatabase();

const Preset = z.looseObject({
  templates: z.object({
    repost: z.object({ body: z.string(), defaults: z.record(z.string(), z.unknown()) }),
  }),
  channels: z.record(z.string(), z.looseObject({ settings: z.record(z.string(), z.unknown()) })),
});

const environment = {
  VK_OWNERS: '-1,-2',
  TG_ENABLED: 'true',
  TG_CHAT: '-1001000000002',
  VK_OUT_ENABLED: 'true',
  VK_OUT_OWNER_ID: '-200000001',
};

const file = join(import.meta.dirname, '../../presets/lost-pets.yaml');
const [source] = readSource('lost-pets.yaml', readFileSync(file, 'utf8'), environment).documents;
const { templates, channels } = Preset.parse(source?.value);
const { body, defaults } = templates.repost;

const post = {
  text: 'Пропала собака <Айка> & "хаски", девочка. Уралмаш, ул. Кузнецова 5. 8-912-000-11-22, 8-912-000-33-44',
  url: 'https://vk.com/wall-1_77',
};

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
  await addTemplate(database.admin, 'repost', 1, body, defaults);
});

/** A post as the source hands it over, read and composed for a channel of the preset. */
async function reposted(
  given: Readonly<Record<string, unknown>> & { readonly text: string },
  platform: 'telegram' | 'vk',
  settings: Readonly<Record<string, unknown>> = {},
) {
  const { url, ...read } = lostPets({ ...post, ...given });
  const payload = { ...read, links: [url] };
  return composePost(database.admin, { payload, platform, templateRef: 'repost', settings });
}

describe('a repost', () => {
  it('has icon and title, the text, phones, place and the link, in HTML for Telegram', async () => {
    const { rendered_text, fault } = await reposted(post, 'telegram', { parse_mode: 'HTML' });
    expect(fault).toBeNull();
    expect(rendered_text).toBe(
      [
        '🔎 Пропала собака',
        '',
        'Пропала собака &lt;Айка&gt; &amp; &quot;хаски&quot;, девочка. Уралмаш, ул. Кузнецова 5. 8-912-000-11-22, 8-912-000-33-44',
        '',
        '☎ +79120001122, +79120003344',
        '📍 Уралмаш, ул. Кузнецова 5',
        '',
        'https://vk.com/wall-1_77',
      ].join('\n'),
    );
  });

  it('is plain for VK', async () => {
    const { rendered_text, render_meta, fault } = await reposted(post, 'vk');
    expect(fault).toBeNull();
    expect(render_meta.format).toBeUndefined();
    expect(rendered_text).toContain('Пропала собака <Айка> & "хаски"');
    expect(rendered_text.endsWith('\n\nhttps://vk.com/wall-1_77')).toBe(true);
  });

  it('is sound in Markdown as well', async () => {
    const text = 'Пропала кошка! (серая_полосатая) *Мурка* [тут](x) 1.5 года - ждём.';
    const { fault, rendered_text } = await reposted({ text }, 'telegram', {
      parse_mode: 'Markdown',
    });
    expect(fault).toBeNull();
    expect(rendered_text).toContain(String.raw`\(серая\_полосатая\) \*Мурка\*`);
  });

  it('leaves out the lines that the post says nothing of', async () => {
    const { rendered_text } = await reposted({ text: 'Пропал кот' }, 'vk');
    expect(rendered_text).toBe('🔎 Пропал кот\n\nПропал кот\n\nhttps://vk.com/wall-1_77');
  });

  it('has its text as the caption of the album, or above it when it is too long', async () => {
    const media = [1, 2].map((n) => ({ type: 'image', url: `https://example.org/${n}.jpg` }));
    const short = await reposted({ ...post, media }, 'telegram', { parse_mode: 'HTML' });
    expect(short.fault).toBeNull();
    expect(short.render_meta.parts).toMatchObject([{ kind: 'media', caption: true }]);
    const long = await reposted({ text: 'Пропал кот. '.repeat(100), media }, 'telegram', {
      parse_mode: 'HTML',
    });
    expect(long.render_meta.parts).toMatchObject([{ kind: 'text' }, { kind: 'media' }]);
  });
});

describe('the preset', () => {
  const workspace = database.newWorkspaceId();
  const ownSettings = ['text_max', 'media_max', 'timeout', 'jitter_ms'];

  beforeAll(async () => {
    const plain = Object.entries(channels).map(([id, { settings, ...channel }]) => {
      const known = Object.entries(settings).filter(([key]) => !ownSettings.includes(key));
      const target_id = String(channel['target_id']);
      return [id, { ...channel, target_id, settings: Object.fromEntries(known) }] as const;
    });
    const credentials = Object.fromEntries(
      Object.entries({ telegram: 'telegram', 'vk-out': 'vk' }).map(([id, platform]) => [
        id,
        { platform, secret_ref: 'env:TOKEN' },
      ]),
    );
    const document = { workspace, credentials, templates, channels: Object.fromEntries(plain) };
    await applyWorkspace(database.admin, { document, prune: false, dryRun: false });
  });

  async function verdicts(text: string): Promise<Record<string, string>> {
    const enqueued = await enqueueMessagesAndDeliveries(database.admin, {
      workspaceId: workspace,
      endpointId: null,
      kind: 'push',
      rawPayload: lostPets({ text, url: `https://vk.com/wall-1_${text.length}` }),
    });
    if (enqueued.verdict !== 'accepted') throw new Error(enqueued.verdict);
    return Object.fromEntries(enqueued.channels.map((each) => [each.channelId, each.verdict]));
  }

  it('queues a post about a lost pet for both channels, once', async () => {
    const text = 'Пропала собака, рыжая такса, Уралмаш';
    expect(await verdicts(text)).toEqual({ telegram: 'queued', 'vk-wall': 'queued' });
    expect(await verdicts(text)).toEqual({ telegram: 'deduped', 'vk-wall': 'deduped' });
  });

  it.each([
    'Найдена собака, ищем хозяев',
    'Отдам котят в добрые руки',
    'Видели таксу у озера, поймать не смогли',
    'Сбор на операцию коту, собрано 300 рублей',
    'Нашлась! Спасибо всем',
    'Продам коляску',
  ])('queues nothing else: %s', async (text) => {
    expect(await verdicts(text)).toEqual({ telegram: 'not_routed', 'vk-wall': 'not_routed' });
  });
});
