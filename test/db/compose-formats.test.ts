import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import type { Format, Platform } from '../support/oracles/preflight.ts';
import { addTemplate, type ComposedPost, composePosts } from '../support/posts/composed-posts.ts';

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
  await addTemplate(database.admin, 'bare', 1, '{{text}}');
});

/** A text in the format of a post: what it shows, and what is left of it without markup. */
interface Text {
  readonly source: string;
  readonly format: Format | undefined;
  readonly visible: string;
  readonly flat: string;
  readonly sound: boolean;
  /** What MAX, which refuses no markup, shows of a text that is not sound. */
  readonly onMax?: string;
}

const link = 'https://a.b/c';
const texts: readonly Text[] = [
  ...['1 < 2 & *3* _4_ [5](6) <b>7</b>. 8!', 'plain words'].map((source) => ({
    source,
    format: undefined,
    visible: source,
    flat: source,
    sound: true,
  })),
  {
    source: `<b>a</b> &lt; <a href="${link}">c</a>`,
    format: 'HTML',
    visible: 'a < c',
    flat: `a < c (${link})`,
    sound: true,
  },
  {
    source: `_a_ [c](${link})`,
    format: 'Markdown',
    visible: 'a c',
    flat: `a c (${link})`,
    sound: true,
  },
  { source: '<b>a', format: 'HTML', visible: '<b>a', flat: '<b>a', sound: false, onMax: 'a' },
  {
    source: '*a. b',
    format: 'Markdown',
    visible: '*a. b',
    flat: '*a. b',
    sound: false,
    onMax: '*a. b',
  },
];

interface Combination {
  readonly platform: Platform;
  readonly channelFormat: Format | 'None' | undefined;
  readonly policy: 'fail' | 'plain' | undefined;
  readonly templateRef: string | undefined;
  readonly text: Text;
}

const combinations: Combination[] = [];
for (const platform of ['telegram', 'max', 'vk'] as const) {
  for (const channelFormat of [undefined, 'None', 'HTML', 'Markdown'] as const) {
    for (const policy of [undefined, 'fail', 'plain'] as const) {
      for (const templateRef of [undefined, 'bare']) {
        for (const text of texts) {
          combinations.push({ platform, channelFormat, policy, templateRef, text });
        }
      }
    }
  }
}

/** What comes of a post: the beginning of a refusal, or the format, what is seen and, where told, sent. */
interface Result {
  readonly fault?: string;
  readonly format?: Format | undefined;
  readonly visible?: string | undefined;
  readonly sent?: string | undefined;
}

function expected({ platform, channelFormat, policy, templateRef, text }: Combination): Result {
  const odd = platform === 'max' ? text.onMax : undefined;
  const sound = text.sound || odd !== undefined;
  const wanted = channelFormat ?? (templateRef === undefined ? text.format : undefined);
  const format = wanted === 'None' || platform === 'vk' ? undefined : wanted;
  if (text.format === undefined) return { format, visible: text.source };
  if (text.format === format) {
    if (sound) return { format, visible: odd ?? text.visible, sent: text.source };
    if (policy === 'plain') return { format: undefined, visible: text.source, sent: text.source };
    return { fault: `the text is not valid ${format} for Telegram` };
  }
  if (format === undefined) {
    const flat = odd ?? text.flat;
    if (sound || policy === 'plain') return { format, visible: flat, sent: flat };
    return { fault: `the text is not valid ${text.format}` };
  }
  if (policy === 'plain') return { format, visible: odd ?? text.flat };
  return { fault: `the post is written in ${text.format}, and the channel sends ${format}` };
}

/** What a reader sees of each post. */
async function seen(
  posts: readonly ComposedPost[],
  platforms: readonly string[],
): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ visible: z.string(), fault: z.null() }),
    `select r.visible, r.fault
     from unnest($1::text[], $2::text[], $3::text[]) with ordinality as p (platform, format, sent, n)
     join outrider.platforms using (platform)
     cross join lateral outrider.read_markup(p.sent, dialects ->> p.format) r
     order by p.n`,
    [
      platforms,
      posts.map((post) => post.render_meta.format ?? null),
      posts.map((post) => post.rendered_text),
    ],
  );
  return rows.map((row) => row.visible);
}

describe('the format of a delivery', () => {
  it('follows from the channel, the post, the platform and the policy in every combination', async () => {
    const posts = await composePosts(
      database.admin,
      combinations.map(({ platform, channelFormat, policy, templateRef, text }) => ({
        payload: { text: text.source, parse_mode: text.format },
        platform,
        templateRef,
        settings: { parse_mode: channelFormat, on_format_error: policy },
      })),
    );
    const sound = posts.flatMap((post, n) => (post.fault === null ? [n] : []));
    const visible = await seen(
      sound.flatMap((n) => posts[n] ?? []),
      sound.flatMap((n) => combinations[n]?.platform ?? []),
    );
    const shown = new Map(sound.map((n, place) => [n, visible[place]]));
    const results = posts.map((post, n): Result => {
      if (post.fault !== null) return { fault: post.fault.replace(/:.*/, '') };
      return { format: post.render_meta.format, visible: shown.get(n), sent: post.rendered_text };
    });
    for (const [n, combination] of combinations.entries()) {
      const { text, ...channel } = combination;
      const want = expected(combination);
      expect({ text, channel, ...results[n] }).toMatchObject({ text, channel, ...want });
    }
  });

  it('is that of the spelled-out cases', async () => {
    const html = { text: '<b>a</b> & b.', parse_mode: 'HTML' };
    const cases = [
      ['telegram', { text: 'a < b.' }, { parse_mode: 'HTML' }, 'HTML', 'a &lt; b.'],
      ['telegram', { text: 'a < b.' }, { parse_mode: 'Markdown' }, 'Markdown', 'a < b\\.'],
      ['telegram', { text: 'a < b.' }, {}, undefined, 'a < b.'],
      ['telegram', html, {}, 'HTML', '<b>a</b> & b.'],
      ['telegram', html, { parse_mode: 'None' }, undefined, 'a & b.'],
      [
        'telegram',
        html,
        { parse_mode: 'Markdown', on_format_error: 'plain' },
        'Markdown',
        'a & b\\.',
      ],
      ['max', html, {}, 'HTML', '<b>a</b> & b.'],
      ['max', html, { parse_mode: 'None' }, undefined, 'a & b.'],
      ['vk', html, { parse_mode: 'HTML' }, undefined, 'a & b.'],
      ['vk', { text: '<b>a', parse_mode: 'HTML' }, { on_format_error: 'plain' }, undefined, '<b>a'],
    ] as const;
    const posts = await composePosts(
      database.admin,
      cases.map(([platform, payload, settings]) => ({ platform, payload, settings })),
    );
    expect(posts.map((post) => [post.render_meta.format, post.rendered_text])).toEqual(
      cases.map(([, , , format, sent]) => [format, sent]),
    );
  });

  it('counts the markup that MAX counts, also where markup may be dropped', async () => {
    const long = [3972, 3973].map((n) => `<a href="https://a.b/${'c'.repeat(n)}">x</a>`);
    const posts = await composePosts(
      database.admin,
      long.map((text) => ({
        platform: 'max',
        payload: { text, parse_mode: 'HTML' },
        settings: { on_format_error: 'plain' },
      })),
    );
    expect(long.map((text) => text.length)).toEqual([4000, 4001]);
    expect(posts.map((post) => post.fault)).toEqual([null, expect.stringContaining('4,001')]);
  });
});
