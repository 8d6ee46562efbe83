import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/fixtures/database.ts';
import { deliveriesOf, take, verdicts } from '../support/posts/intake.ts';

const database = await useDatabase();

describe('the demo workspace', () => {
  it('can be made twice, and posts find their way through it', async () => {
    const seed = await readFile(new URL('../../db/seed.sql', import.meta.url), 'utf8');
    await database.admin.query(seed);
    await database.admin.query(seed);
    const post = {
      title: 'Lost dog',
      text: 'Ginger, answers to Bim',
      url: 'https://example.org/42',
      tags: ['lost'],
      fields: { phone: '112' },
    };
    const accepted = await take(database.service, 'demo', post);
    expect(verdicts(accepted)).toEqual({
      'tg-news': 'queued',
      'tg-pets': 'queued',
      'tg-deals': 'not_routed',
      'max-news': 'queued',
      'max-pets': 'queued',
      'vk-wall': 'queued',
    });
    const texts = Object.fromEntries(
      (await deliveriesOf(database.admin, 'demo')).map((row) => [
        row.channel_id,
        row.rendered_text,
      ]),
    );
    expect(texts).toEqual({
      'tg-news':
        '<b>Lost dog</b>\n\nGinger, answers to Bim\n\n<a href="https://example.org/42">Read on</a>',
      'max-news':
        '<b>Lost dog</b>\n\nGinger, answers to Bim\n\n<a href="https://example.org/42">Read on</a>',
      'tg-pets': '🔎 Lost\n\nGinger, answers to Bim\n☎ 112\n\nhttps://example.org/42',
      'max-pets': '🔎 Lost\n\nGinger, answers to Bim\n☎ 112\n\nhttps://example.org/42',
      'vk-wall': 'Lost dog\n\nGinger, answers to Bim\n\nhttps://example.org/42',
    });
  });
});
