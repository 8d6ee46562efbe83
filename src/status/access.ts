// Who may see the page: whoever has its token, whoever a trusted proxy has signed in, or anybody on this machine. Nobody may
// unless the configuration says so.

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { isOfThisMachine } from '../http/this-machine.ts';
import type { Log } from '../log.ts';
import type { Secrets } from '../secrets.ts';
import { hasSession, isSame } from './session.ts';

export const tokenVariable = 'OUTRIDER_STATUS_TOKEN_REF';
export const leastTokenLength = 16;

export interface AccessOptions {
  /** Where the token is read from, at every request: a new one counts at once. */
  readonly tokenRef: string | undefined;
  /** Addresses and networks of proxies that sign people in. */
  readonly proxies: readonly string[];
  /** The header in which such a proxy says who it is, in lower case. */
  readonly userHeader: string;
  /** Whether requests from this machine need nothing of all this. */
  readonly isOpen: boolean;
  readonly secrets: Pick<Secrets, 'ofReference'>;
  readonly log: Log;
}

/**
 * `off`: nobody may see it. `login`: the token is missing. `refused`: it comes from where nobody may see it. `unreadable`: the
 * token cannot be checked.
 */
export type Admission = 'admitted' | 'off' | 'login' | 'refused' | 'unreadable';

export interface Access {
  readonly takesToken: boolean;
  admit(request: IncomingMessage): Promise<Admission>;
  /** Undefined when there is none, or it cannot be read. */
  readToken(): Promise<string | undefined>;
  /** Answers with the token if `given` is the token. */
  checkToken(given: string): Promise<{ readonly token: string } | 'wrong' | 'unreadable'>;
}

export function createAccess(options: AccessOptions): Access {
  const { tokenRef, proxies, isOpen } = options;
  const trusted = networksOf(proxies);

  async function readToken(): Promise<string | undefined> {
    if (tokenRef === undefined) return undefined;
    const read = await options.secrets.ofReference(tokenRef, tokenVariable);
    if (read.ok) return read.secret;
    options.log.error('the token of the status page cannot be read', { reason: read.reason });
    return undefined;
  }

  return {
    takesToken: tokenRef !== undefined,
    readToken,
    async admit(request) {
      if (tokenRef === undefined && proxies.length === 0 && !isOpen) return 'off';
      const address = request.socket.remoteAddress ?? '';
      if (proxies.length > 0 && contains(trusted, address) && namesUser(request, options)) {
        return 'admitted';
      }
      if (isOpen && isOfThisMachine(request)) return 'admitted';
      if (tokenRef === undefined) return 'refused';
      const token = await readToken();
      if (token === undefined) return 'unreadable';
      const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      if (bearer !== undefined) return isSame(bearer, token) ? 'admitted' : 'login';
      return hasSession(request.headers, token, Date.now()) ? 'admitted' : 'login';
    },
    async checkToken(given) {
      if (tokenRef === undefined) return 'wrong';
      const token = await readToken();
      if (token === undefined) return 'unreadable';
      return isSame(given, token) ? { token } : 'wrong';
    },
  };
}

function namesUser({ headers }: IncomingMessage, { userHeader }: AccessOptions): boolean {
  const user = headers[userHeader];
  return typeof user === 'string' && user.trim() !== '';
}

/** Addresses, or networks such as 10.0.0.0/8. */
function networksOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function contains(list: BlockList, address: string): boolean {
  // An IPv4 address that came in at an IPv6 socket.
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(bare);
  return family !== 0 && list.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}
