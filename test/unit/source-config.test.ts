import { describe, expect, it } from 'vitest';
import { vkWall } from '../../src/pull/kinds/vk-wall.ts';
import { kinds } from '../../src/pull/kinds.ts';
import { preparedPost } from '../../src/pull/prepared-post.ts';
import { nextPullAt, readSourceConfig } from '../../src/pull/source-config.ts';

const walls = { owners: ['-1'], auth_ref: 'vk' };

function faults(config: Readonly<Record<string, unknown>>): string[] {
  const read = readSourceConfig(vkWall, { ...walls, ...config });
  return read.ok ? [] : read.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
}

describe('the config of a source', () => {
  it.each([
    [{ every: '10s' }],
    [{ every: '31d' }],
    [{ every: 'never' }],
    [{ cron: '*/15 8-20 * * mon-fri', timezone: 'Europe/Moscow' }],
    [{ cron: '@daily' }],
    [{ limit: 1000, tags: ['pets'], rate_group: 'shared' }],
  ])('may be %j', (config) => {
    expect(faults(config)).toEqual([]);
  });

  const wrong: readonly (readonly [Record<string, unknown>, string | RegExp])[] = [
    [{ every: '9s' }, 'every must be 10s at least'],
    [{ every: '32d' }, 'every must be 31d at most'],
    [{ every: 'often' }, 'every must be a span of time such as 30s, 5m, 2h or 1d, or never'],
    [{ every: '5m', cron: '@daily' }, 'cron contradicts every: give one of the two'],
    [{ timezone: 'UTC' }, 'timezone goes with cron, and there is none'],
    [{ cron: '@daily', timezone: 'Mars' }, 'timezone must be a time zone such as Europe/Moscow'],
    [{ reader: 'nobody' }, /^reader /],
    [{ auth_ref: undefined }, 'auth_ref is missing: vk_wall is read with a credential of vk'],
    [{ owners: ['!'] }, /^owners\.0 must be a wall/],
    [{ cron: '* * * *' }, /^cron must be five fields/],
    [{ cron: '*/10 * * * * *' }, /^cron must be five fields/],
    [{ cron: 'soon' }, /^cron must be five fields/],
    [{ cron: '0 0 30 2 *' }, /and come up some day$/],
  ];

  it.each(wrong)('cannot be %j', (config, fault) => {
    const found = faults(config);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(fault);
  });

  it('is checked by every kind that is listed: none takes an unknown key', () => {
    for (const kind of kinds) {
      const read = readSourceConfig(kind, { ...walls, nonsense: 1 });
      expect(read.ok).toBe(false);
    }
  });
});

describe('the next time', () => {
  const claimedAt = new Date('2026-03-29T00:00:00Z');
  const at = (text: string): Date => new Date(text);

  it('is one span after the last, and never in the past', () => {
    expect(nextPullAt({ every: '2m' }, claimedAt, claimedAt)).toEqual(at('2026-03-29T00:02:00Z'));
    const late = at('2026-03-29T00:30:00Z');
    expect(nextPullAt({ every: '2m' }, claimedAt, late)).toEqual(late);
    expect(nextPullAt({}, claimedAt, claimedAt)).toEqual(at('2026-03-29T00:05:00Z'));
  });

  it('is what cron says, in its zone, also on the day when the clock changes', () => {
    const daily = { cron: '30 9 * * *', timezone: 'Europe/Berlin' };
    expect(nextPullAt(daily, claimedAt, claimedAt)).toEqual(at('2026-03-29T07:30:00Z'));
    const before = at('2026-03-27T12:00:00Z');
    expect(nextPullAt(daily, before, before)).toEqual(at('2026-03-28T08:30:00Z'));
    expect(nextPullAt({ cron: '@hourly' }, claimedAt, claimedAt)).toEqual(
      at('2026-03-29T01:00:00Z'),
    );
  });
});

describe('a post of an item', () => {
  it('has the tags of its source and what its reader adds, each once, and the name of its item', () => {
    const item = { itemRef: 'a', post: { text: 'Lost dog', tags: ['city'] } };
    const reader = (post: typeof item.post) => ({ ...post, tags: [...post.tags, 'lost'] });
    expect(
      preparedPost(item, {
        tags: ['pets', 'lost'],
        reader: (post) => reader({ text: post.text ?? '', tags: [...(post.tags ?? [])] }),
      }),
    ).toEqual({ text: 'Lost dog', tags: ['city', 'lost', 'pets'], source_ref: 'a' });
  });
});
