// Which addresses Telegram takes for a link, and how it writes them down.

/** Why the address is no link, in the words of the server. */
export type LinkFault =
  | 'URL host is empty'
  | 'Unsupported URL protocol'
  | 'Wrong HTTP URL'
  | 'Wrong port number specified in the URL';

const target =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:[^/?#@]*@)?(\[[0-9a-f:.]*\]|[^/?#:]*)(?::([^/?#]*))?([/?#].*)?$/is;

/** The address as it is kept, or why it is none. */
export function checkLink(
  address: string,
): { readonly url: string } | { readonly fault: LinkFault } {
  const trimmed = address.trim();
  if (/^(tg|ton|tonsite):/i.test(trimmed)) return { url: trimmed };
  const [, scheme = 'http', host = '', port, rest = ''] = target.exec(trimmed) ?? [];
  const protocol = scheme.toLowerCase();
  if (protocol !== 'http' && protocol !== 'https') return { fault: 'Unsupported URL protocol' };
  if (port !== undefined && !/^\d{1,5}$/.test(port)) {
    return { fault: 'Wrong port number specified in the URL' };
  }
  if (host === '') return { fault: 'URL host is empty' };
  if (/[\s<>"]/.test(host) || !/[.:]/.test(host)) return { fault: 'Wrong HTTP URL' };
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return {
    url: `${protocol}://${host.toLowerCase()}${port === undefined ? '' : `:${port}`}${path}`,
  };
}

/** The user that a tg://user link mentions. */
export function mentionedUser(address: string): number | undefined {
  const [, id] = /^tg:(?:\/\/)?user\?id=(\d{1,15})$/i.exec(address.trim()) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** The custom emoji that a tg://emoji link names. */
export function namedEmoji(address: string): string | undefined {
  return /^tg:(?:\/\/)?emoji\?id=(\d{1,20})$/i.exec(address.trim())?.[1];
}
