// Whether a request comes from this machine, for what is shown to nobody else without a secret.

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Not through a proxy on this machine, as far as a proxy lets one know: it would bring the whole world. It names whom it brings,
 * or passes on the name under which the world knows us.
 */
export function isOfThisMachine({
  headers,
  socket,
}: Pick<IncomingMessage, 'headers'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
}): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false;
  if (forwarding.some((name) => headers[name] !== undefined)) return false;
  const name = URL.parse(`http://${headers.host ?? ''}`)?.hostname.replaceAll(/[[\]]/g, '') ?? '';
  return name === 'localhost' || isLoopback(name);
}

function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}
