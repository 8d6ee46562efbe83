// The host names that this server answers to. A web page in a browser on this machine can have its own name resolved
// to the loopback (DNS rebinding), and could then read the answers of a server here. So a server that listens on the
// loopback only answers to names of the loopback and to those that it was given. It answers to every address: an
// address cannot be made to lead elsewhere, as a name can.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Says whether the server answers to this `host` of a request. */
export type AnswersTo = (host: string | undefined) => boolean;

export interface HostNames {
  /** The address that it listens on. */
  readonly listensAt: string;
  /** What the configuration says to listen on. */
  readonly host: string;
  readonly allowedHosts: readonly string[];
}

export function answersToNames({ listensAt, host: own, allowedHosts }: HostNames): AnswersTo {
  if (allowedHosts.length === 0 && !isLoopback(listensAt)) return () => true;
  const names = new Set(['localhost', own, ...allowedHosts].map(nameOf));
  /** Nearly all requests name the same host, and an address is dear to parse. */
  let latest: string | undefined;
  return (host) => {
    if (host === undefined || host === latest) return true; // without a host it is HTTP 1.0: no browser
    const name = nameOf(host);
    if (name === undefined || !(isAddress(name) || names.has(name))) return false;
    latest = host;
    return true;
  };
}

/** The name alone, as URLs write it: without a port, in lower case. */
function nameOf(host: string): string | undefined {
  const url = URL.parse(`http://${host}`);
  return url?.href === `http://${url?.host}/` ? url.hostname : undefined;
}

function isAddress(name: string): boolean {
  return isIP(name.replaceAll(/[[\]]/g, '')) !== 0;
}

function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}
