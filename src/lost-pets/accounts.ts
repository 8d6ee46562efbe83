// VK accounts: in links to a page, in mentions and after @. Links to posts and albums name none.

import type { Found } from './span.ts';
import type { Tokens } from './tokens.ts';

const page = /(?:^|\/\/|\bm\.)(?:m\.)?vk\.(?:com|ru|me)\/([a-z0-9_.]{2,40})(?=$|[/?#,.;!)])/;
const things =
  /^(?:wall|album|photo|video|topic|doc|market|clip|app|story|poll|audio|feed|im|search|club\d+\?w|away|share|write|podcast|article|event)[-\d.]/;
const places = new Set([
  'feed',
  'im',
  'search',
  'away.php',
  'groups',
  'friends',
  'wall',
  'album',
  'write',
  'video',
  'photo',
  'market',
  'app',
  'doc',
]);

export function accountsIn({ list, links }: Tokens): readonly Found<string>[] {
  const accounts: Found<string>[] = [];
  if (links === 0) return accounts;
  for (const { kind, plain, start, end } of list) {
    const value =
      kind === 'link'
        ? ofLink(plain)
        : kind === 'mention'
          ? ofMention(plain)
          : kind === 'account'
            ? ofAt(plain)
            : undefined;
    if (value !== undefined && !accounts.some((each) => each.value === value))
      accounts.push({ value, start, end });
  }
  return accounts;
}

function ofLink(link: string): string | undefined {
  const name = page.exec(link.startsWith('http') ? link : `//${link}`)?.[1]?.replace(/\.+$/, '');
  if (
    name === undefined ||
    /[?&]w=wall|[?&]z=/.test(link) ||
    (things.test(`${name}${/^[a-z]+$/.test(name) ? '' : '.'}`) &&
      /^[a-z]+-?\d/.test(name) &&
      !/^(?:id|club|public|event)\d/.test(name))
  )
    return undefined;
  if (
    places.has(name) ||
    /^(?:wall|album|photo|video|topic|doc|clip|story|poll|market)-?\d/.test(name)
  )
    return undefined;
  return name;
}

function ofMention(mention: string): string | undefined {
  const name = /^\[([a-z0-9_.]+)\|/.exec(mention)?.[1];
  if (name !== undefined) return name;
  const link = /^\[(https?:[^|]+)\|/.exec(mention)?.[1];
  return link === undefined ? undefined : ofLink(link);
}

function ofAt(at: string): string | undefined {
  return /^[@*]([a-z][a-z0-9_.]*[a-z0-9_])/.exec(at)?.[1];
}
