// Addresses as a source writes them: relative, padded, or not addresses at all.

const longest = 2048;

/**
 * The http(s) address that a text names, as a post takes it; undefined when it names none. A relative address counts
 * from `baseUrl`. An address that holds a user and a password is not used: a post would show them to everybody.
 */
export function addressOf(text: string | undefined, baseUrl?: string): string | undefined {
  if (text === undefined || text.trim() === '' || text.length > 4 * longest) return undefined;
  const url = URL.parse(text.trim(), baseUrl);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  const { href, hostname } = url;
  return href.length <= longest && isHost.test(hostname) ? href : undefined;
}

const isHost = /^(?:\w[\w.-]*|\[[0-9a-f:.]+\])$/i;
