// Posts with tags, channels with route filters, and an oracle that says which post belongs in which channel. The oracle
// reads a filter as its documentation says, and shares no code with the SQL that it judges.

const kinds = ['dog', 'cat', 'bird'] as const;
const towns = ['north', 'south', 'east', 'west'] as const;

interface RouteFilter {
  readonly include_any?: readonly string[];
  readonly include_all?: readonly string[];
  readonly exclude?: readonly string[];
}

/** The filter of the channel with this number. */
export function filterOf(index: number): RouteFilter {
  const kind = kinds[index % kinds.length] ?? '';
  const town = towns[index % towns.length] ?? '';
  const filters: readonly RouteFilter[] = [
    { include_any: [kind] },
    { include_all: [kind, town] },
    { include_any: [town], exclude: ['urgent'] },
    { include_any: [kind, 'urgent'], exclude: [town] },
  ];
  return filters[Math.floor(index / 2) % filters.length] ?? {};
}

export interface TaggedPost {
  readonly text: string;
  readonly tags: readonly string[];
}

/** The post with this number; no two posts have the same text. */
export function taggedPost(n: number): TaggedPost {
  const kind = kinds[n % kinds.length] ?? '';
  const town = towns[Math.floor(n / kinds.length) % towns.length] ?? '';
  const tags = n % 7 === 0 ? [kind, town, 'urgent'] : [kind, town];
  return { text: `Post ${n}: lost, ${tags.join(', ')}`, tags };
}

/** The texts that the channel with this number must show, out of the first `posts` posts. */
export function expectedTexts(channel: number, posts: number): string[] {
  const { include_any: any, include_all: all = [], exclude = [] } = filterOf(channel);
  return Array.from({ length: posts }, (_, n) => taggedPost(n))
    .filter(({ tags }) => {
      const has = (tag: string): boolean => tags.includes(tag);
      return (any === undefined || any.some(has)) && all.every(has) && !exclude.some(has);
    })
    .map((post) => post.text);
}
