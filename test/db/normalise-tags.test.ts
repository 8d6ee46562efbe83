import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { rawPost, roughText } from '../support/posts/random-posts.ts';

const database = await useDatabase();

type Payload = Readonly<Record<string, unknown>>;

async function tagsOf(payload: Payload, hints?: unknown): Promise<string[]> {
  const row = z.object({ tags: z.array(z.string()) });
  const sql = 'select outrider.message_tags($1, $2) as tags';
  const values = [JSON.stringify(payload), hints === undefined ? null : JSON.stringify(hints)];
  return (await queryRow(database.admin, row, sql, values)).tags;
}

describe('the hashtags of a text', () => {
  const found: Readonly<Record<string, readonly string[]>> = {
    'Lost #dog': ['dog'],
    '#Dog at the start': ['dog'],
    '(#dog), "#cat"; #bird.': ['bird', 'cat', 'dog'],
    '#dog\n#cat': ['cat', 'dog'],
    '#dog #DOG #Dog': ['dog'],
    '#lost_dog #dog2 #2dogs': ['2dogs', 'dog2', 'lost_dog'],
    '#Пёс #СОБАКА': ['пёс', 'собака'],
    '#हिन्दी #ไทย #狗 #かな': ['हिन्दी', 'ไทย', 'かな', '狗'],
    '#كلب، #کتاب‌خانه؟': ['كلب', 'کتاب‌خانه'],
    '#Straße #ÉTÉ #H\u0331': ['straße', 'été', 'ẖ'],
    '##dog': ['dog'],
    '#dog-house #dog.house #dog’s': ['dog'],
    '#dog👍 👍#cat': ['cat', 'dog'],
    '\\#dog *#cat*': ['cat', 'dog'],
    '<b>#dog</b> <i>#Cat</i>': ['cat', 'dog'],
    '<a href="https://a.example/#part">#dog</a>': ['dog'],
    'https://a.example/ #dog': ['dog'],
    // none
    'C#sharp a#b 1#a ё#b #a_#b': ['a_'],
    '# dog #': [],
    '#1 #2026 #٣': [],
    '&#35; &#x1F415; &#dog': [],
    '/#dog a.example/#dog': [],
    'https://a.example/page#part https://a.example/(a)#part http://a.example/?q=-#part': [],
    'HTTPS://a.example/-#part': [],
    '#️⃣ #⃣': [],
    '#— #… #« #»': [],
    'no tag at all': [],
  };

  it.each(Object.entries(found))('%s', async (text, tags) => {
    expect(await tagsOf({ type: 'text', text })).toEqual(tags);
    expect(await tagsOf({ type: 'text', title: text })).toEqual(tags);
  });

  it('consist of the letters, digits and marks of every script', async () => {
    const part = /[\p{L}\p{Nd}\p{M}_]/u;
    // Letters that are used as symbols, and marks that make an emoji of a sign.
    const symbol = /[\ufe00-\ufe0f\u20d0-\u218f\u2e2f]/u;
    const ends = await endsTag(characters(1, 0xffff));
    expect(ends.filter((each) => part.test(each) && !symbol.test(each))).toEqual([]);
  });

  it('end at a blank, a sign or an emoji', async () => {
    const among = [
      [1, 0xbf],
      [0x2000, 0x206f],
      [0x20a0, 0x20cf],
      [0x2190, 0x2bff],
      [0x3000, 0x3006],
      [0x3008, 0x301f],
      [0xff01, 0xff0f],
      [0x1f300, 0x1faff],
    ] as const;
    const persian = '\u200c'; // joins the parts of a word
    for (const [from, to] of among) {
      const some = characters(from, to).filter((each) => /[\p{P}\p{S}\p{Z}\p{C}]/u.test(each));
      const ends = await endsTag(some);
      expect(
        some.filter((each) => !ends.includes(each) && each !== persian && each !== '_'),
      ).toEqual([]);
    }
  });
});

function characters(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, n) => String.fromCodePoint(from + n)).filter(
    (each) => each.isWellFormed(),
  );
}

/** Those of the characters that a hashtag does not go on with. */
async function endsTag(some: readonly string[]): Promise<string[]> {
  const row = z.object({ ends: z.array(z.string()) });
  const sql = `select array(
    select x from unnest($1::text[]) x where outrider.hashtags('#a' || x) = '{a}'
  ) as ends`;
  return (await queryRow(database.admin, row, sql, [some])).ends;
}

describe('the tags of a message', () => {
  it('are those of its hints, its media, its title and its text, each once, sorted by bytes', async () => {
    const payload = {
      type: 'media',
      title: 'A #dog',
      text: 'B #Dog #ящик #apple',
      media: [{ type: 'video' }, { type: 'image' }, { type: 'video' }],
    };
    expect(await tagsOf(payload, ['News', 'apple', 'Zebra'])).toEqual([
      'apple',
      'dog',
      'image',
      'news',
      'video',
      'zebra',
      'ящик',
    ]);
  });

  const hints: readonly (readonly [title: string, hint: string, tag: string])[] = [
    ['trimmed', ' \n news\t', 'news'],
    ['lower-cased', 'НОВОСТИ İ', 'новости i'],
    ['on one line, with single spaces', 'lost\r\n\n\u00a0 dogs', 'lost dogs'],
    ['composed', 'e\u0301', 'é'],
    ['kept with their sign', '#News', '#news'],
    ['kept when they are digits alone', '2026', '2026'],
  ];

  it.each(hints)('include hints, %s', async (_, hint, tag) => {
    expect(await tagsOf({ type: 'text' }, [hint])).toEqual([tag]);
  });

  it.each([undefined, null, [], {}, 'news', 7])('are none without hints: %j', async (none) => {
    expect(await tagsOf({ type: 'text', text: 'Lost' }, none)).toEqual([]);
  });

  it('are the same for a title and text apart: no hashtag spans both', async () => {
    expect(await tagsOf({ type: 'text', title: 'a #', text: 'dog' })).toEqual([]);
  });

  it('are at most 200: hints, then media, then hashtags as they appear', async () => {
    const hashtags = Array.from({ length: 300 }, (_, n) => `t${String(n).padStart(3, '0')}`);
    const named = Array.from({ length: 100 }, (_, n) => `z${String(n).padStart(3, '0')}`);
    const text = hashtags
      .toReversed()
      .map((tag) => `#${tag}`)
      .join(' ');
    const payload = { type: 'media', title: '#a', text, media: [{ type: 'image' }] };
    expect(await tagsOf(payload, named)).toEqual(
      [...named, 'image', 'a', ...hashtags.slice(-98)].toSorted(),
    );
  });

  it('do not include what is longer than 512 bytes', async () => {
    const text = `#${'я'.repeat(256)} #${'ю'.repeat(257)} #${'w'.repeat(50_000)}`;
    expect(await tagsOf({ type: 'text', text })).toEqual(['я'.repeat(256)]);
  });

  it('are the same as in a plain reading of the text', async () => {
    await fc.assert(
      fc.asyncProperty(roughText, async (text) => {
        const { normal } = await queryRow(
          database.admin,
          z.object({ normal: z.string() }),
          'select outrider.normal_text($1) as normal',
          [text],
        );
        expect(await tagsOf({ type: 'text', text: normal })).toEqual(plainHashtags(normal));
      }),
      { numRuns: 1000 },
    );
  });

  it('can be kept with the message, whatever the post says', async () => {
    await fc.assert(
      fc.asyncProperty(rawPost, async (raw) => {
        const row = z.object({ kept: z.boolean() });
        const sql = `select t.tags::text = lower(t.tags::text) and cardinality(t.tags) <= 200
            and t.tags = array(select distinct x collate "C" from unnest(t.tags) x order by 1) as kept
          from outrider.message_tags(outrider.normalize_payload($1), $2) as t (tags)`;
        const values = [JSON.stringify(raw), JSON.stringify(raw.tags ?? [])];
        expect(await queryRow(database.admin, row, sql, values)).toEqual({ kept: true });
      }),
      { numRuns: 300 },
    );
  });
});

/** The rule again, with the classes of Unicode that PostgreSQL lacks. */
function plainHashtags(text: string): string[] {
  const outside = text.replaceAll(/https?:\/\/[^ \n"<>]+/gi, ' ');
  const part = String.raw`(?:(?![\u20d0-\u20ff\ufe0f])[\p{L}\p{M}\p{Nd}_])`;
  const tags = [...outside.matchAll(new RegExp(`(?<!${part}|[&/])#(${part}+)`, 'gu'))]
    .map(([, tag = '']) => tag)
    .filter((tag) => !/^\p{Nd}+$/u.test(tag))
    .map((tag) =>
      Array.from(tag, (letter) => (letter === 'İ' ? 'i' : letter.toLowerCase()))
        .join('')
        .normalize('NFC'),
    );
  return [...new Set(tags)].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
