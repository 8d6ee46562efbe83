// Which addresses Telegram accepts as links, and how it writes them.

type Checked = { readonly url: string } | { readonly fault: string };

/** The address as Telegram keeps it, or why it is not one, in the words of the server. */
export function checkLink(address: string): Checked {
  const [, own, rest = ''] = /^(tg|ton|tonsite):(?:\/\/)?(.*)$/is.exec(address) ?? [];
  if (own !== undefined) return checkOwnLink(own.toLowerCase(), rest);
  const read = readAddress(address);
  if ('fault' in read) return read;
  const { protocol, userInfo, host, port, query } = read;
  if (!host.includes('.') && !isIpv6(host)) return { fault: 'Wrong HTTP URL' };
  const before = userInfo === '' ? '' : `${userInfo}@`;
  return { url: `${protocol}://${before}${host}${port === 0 ? '' : `:${port}`}${query}` };
}

/** An address that Telegram's own programs open. */
function checkOwnLink(scheme: string, rest: string): Checked {
  const read = readAddress(rest);
  if ('fault' in read) return read;
  const { protocol, userInfo, host, port, query } = read;
  const isWeb = protocol === 'https' || /^http:\/\//i.test(rest) || isIpv6(host);
  if (isWeb || userInfo !== '' || port !== 0) {
    return { fault: scheme === 'tg' ? 'Wrong tg URL' : 'Wrong ton URL' };
  }
  const allowed = scheme === 'tonsite' ? /^[a-z0-9_.-]*$/ : /^[a-z0-9_-]*$/;
  if (!allowed.test(host)) return { fault: 'Unallowed characters in URL host' };
  return { url: `${scheme}://${host}${query.startsWith('/?') ? query.slice(1) : query}` };
}

interface Address {
  readonly protocol: string;
  readonly userInfo: string;
  readonly host: string;
  /** 0 when none is given. */
  readonly port: number;
  readonly query: string;
}

function readAddress(address: string): Address | { readonly fault: string } {
  const [, scheme = 'http', place = '', rest = ''] =
    /^(?:([^:/?#@[\]]*):\/\/)?([^/?#]*)(.*)$/s.exec(address) ?? [];
  const protocol = scheme.toLowerCase();
  if (protocol !== 'http' && protocol !== 'https') return { fault: 'Unsupported URL protocol' };
  const [, owner = '', digits] = /^(.+?)(?::([^:\]@]*))?$/s.exec(place) ?? [];
  const port = digits === undefined ? 0 : portOf(digits);
  if (port === undefined) return { fault: 'Wrong port number specified in the URL' };
  const at = owner.lastIndexOf('@');
  const host = owner.slice(at + 1).toLowerCase();
  const userInfo = owner.slice(0, Math.max(at, 0));
  const fault = hostFault(host) ?? partFault(userInfo, 'userinfo');
  return fault === undefined ? { protocol, userInfo, host, port, query: queryOf(rest) } : { fault };
}

function portOf(digits: string): number | undefined {
  const port = /^\d{1,20}$/.test(digits) ? Number(digits) : 0;
  return port > 0 && port <= 65_535 ? port : undefined;
}

function hostFault(host: string): string | undefined {
  if (host === '') return 'URL host is empty';
  if (host === '.') return 'Host is invalid';
  if (!/^\[.*\]$/.test(host)) return partFault(host, 'host');
  return isIpv6(host) ? undefined : 'Wrong IPv6 address specified in the URL';
}

function isIpv6(host: string): boolean {
  return /^\[[0-9a-f:.]*:[0-9a-f:.]*\]$/.test(host);
}

/** All characters beyond ASCII are allowed; of ASCII only those that a host may have. */
function partFault(part: string, name: 'host' | 'userinfo'): string | undefined {
  const bare = part.replaceAll(/%[0-9a-f]{2}/gi, '');
  if (bare.includes('%')) return `Wrong percent-encoded symbol in URL ${name}`;
  const allowed =
    name === 'host'
      ? /^[a-z0-9.\-_!$,~*'();&+=\u0080-\uffff]*$/i
      : /^[a-z0-9.\-_!$,~*'();&+=:\u0080-\uffff]*$/i;
  return allowed.test(bare) ? undefined : `Disallowed character in URL ${name}`;
}

/** What follows the host, with a slash before it and blanks escaped. */
function queryOf(rest: string): string {
  const query = rest.replace(/[ \t\r\n\0\v]+$/, '');
  const whole = query.startsWith('/') ? query : `/${query}`;
  return whole.replaceAll(
    /[\0- ]/g,
    (blank) => `%${blank.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
