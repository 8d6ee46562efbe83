// Walls as people name them: a number, club123, a short name, or the address of a page.

export interface Wall {
  /** The same for all ways to write it; the key of its mark in the cursor. */
  readonly name: string;
  readonly parameters: { readonly owner_id: number } | { readonly domain: string };
}

/** Undefined when it names no wall. */
export function readWall(given: string | number): Wall | undefined {
  const text = String(given)
    .trim()
    // An address may have gone through a browser: https://m.vk.com/club123?from=groups
    .replace(/^(https?:\/\/)?(www\.|m\.)?vk\.(com|ru)\/([^/?#]+)([/?#].*)?$/i, '$4')
    .replace(/^@/, '')
    .replace(/^wall(-?\d+)(_\d+)?$/i, '$1');
  const [, number] = /^(-?[1-9]\d{0,14})$/.exec(text) ?? [];
  if (number !== undefined) return byId(Number(number));
  const [, kind = '', digits = ''] = /^(club|public|event|id)([1-9]\d{0,14})$/i.exec(text) ?? [];
  if (digits !== '') return byId(kind.toLowerCase() === 'id' ? Number(digits) : -Number(digits));
  const domain = text.toLowerCase();
  return /^[a-z][a-z0-9_.]{1,63}$/.test(domain)
    ? { name: domain, parameters: { domain } }
    : undefined;
}

function byId(id: number): Wall {
  return { name: String(id), parameters: { owner_id: id } };
}
