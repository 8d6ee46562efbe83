// Decides which addresses may be fetched from when a stranger chose them: only those of the public internet. Outrider
// may run next to things that the stranger cannot reach: its database, a metadata service, a router. A name is judged
// by the addresses that its socket is then opened to. An earlier check would be worthless, because the name's server
// may give another address next time.

import { lookup as lookUpInDns } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { OutriderError } from '../errors.ts';

export interface GuardOptions {
  /** Host names, or host:port, that may be fetched from even if they are not public. */
  readonly privateHosts?: readonly string[] | undefined;
  /** The addresses of a host name, the best first. */
  readonly lookup?: ((hostname: string) => Promise<readonly string[]>) | undefined;
  /** For tests, which have no public addresses. */
  readonly isPublic?: ((address: string) => boolean) | undefined;
}

export interface AddressGuard {
  /** Why a URL must not be fetched, judged by how it is written; undefined when it may be. */
  refusal(url: URL): UrlRefusal | undefined;
  /** Opens sockets to the URL's host. Fails with AddressRefusedError when none of its addresses may be reached. */
  connector(url: URL, limits: ConnectLimits): buildConnector.connector;
}

export interface UrlRefusal {
  /** `address_refused`: private hosts may have it. `url_refused`: no setting allows it. */
  readonly code: 'address_refused' | 'url_refused';
  readonly reason: string;
}

export interface ConnectLimits {
  readonly timeoutMs: number;
  /** Ends the socket, whatever state it is in. */
  readonly signal: AbortSignal;
}

export class AddressRefusedError extends Error {
  constructor(hostname: string) {
    super(`${hostname} is not on the public internet`);
    this.name = 'AddressRefusedError';
  }
}

export function createAddressGuard(options: GuardOptions = {}): AddressGuard {
  const { lookup = addressesOf, isPublic = isPublicAddress } = options;
  const privateHosts = new Set((options.privateHosts ?? []).map(hostOf));
  const isTrusted = ({ hostname, protocol, port }: URL) =>
    privateHosts.has(hostname) || privateHosts.has(`${hostname}:${port || webPorts[protocol]}`);

  const resolve = async (
    hostname: string,
    isOpen: (address: string) => boolean,
    found: Parameters<LookupFunction>[2],
  ) => {
    try {
      const open = (await lookup(hostname)).filter(isOpen);
      if (open.length === 0) throw new AddressRefusedError(hostname);
      const addresses = open.map((address) => ({ address, family: isIP(address) }));
      // On the next tick, so that an error thrown by `found` does not count as a failed lookup.
      process.nextTick(found, null, addresses);
    } catch (error) {
      process.nextTick(found, error, []);
    }
  };

  return {
    refusal(url) {
      if (!Object.hasOwn(webPorts, url.protocol))
        return { code: 'url_refused', reason: 'only http and https addresses are fetched' };
      if (url.username !== '' || url.password !== '') {
        const reason = 'an address with a user name or a password is not fetched';
        return { code: 'url_refused', reason };
      }
      if (isTrusted(url) || isWebPort(url)) return undefined;
      return {
        code: 'address_refused',
        reason: `port ${url.port} is not one that web servers use`,
      };
    },

    connector(url, { timeoutMs, signal }) {
      const isOpen = isTrusted(url) ? () => true : isPublic;
      const connect = buildConnector({
        allowH2: false,
        timeout: timeoutMs,
        signal,
        autoSelectFamily: true,
        lookup: (hostname, _options, found) => void resolve(hostname, isOpen, found),
      });
      return (target, connected) => {
        // An address that is written out as numbers is not looked up, so it is judged here.
        const isRefused = isIP(target.hostname) !== 0 && !isOpen(target.hostname);
        if (isRefused) connected(new AddressRefusedError(url.hostname), null);
        else connect(target, connected);
      };
    },
  };
}

async function addressesOf(hostname: string): Promise<string[]> {
  const found = await lookUpInDns(hostname, { all: true });
  return found.map(({ address }) => address);
}

const globalUnicast = ipaddr.parseCIDR('2000::/3');
const translated = ipaddr.parseCIDR('64:ff9b::/96');
/** Public by its number, but the host of a virtual machine answers there, and tells its secrets. */
const azureHost = '168.63.129.16';

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  // Parsers disagree about look-alikes such as 010.0.0.1.
  if (family === 0) return false;
  if (family === 4) return isPublicIPv4(ipaddr.parse(address));
  // As a URL writes it: without a zone, and without a dotted end, which ipaddr.js takes for a mapped address.
  const hostname = URL.parse(`http://[${address}]`)?.hostname;
  if (hostname === undefined) return false;
  const parsed = ipaddr.parse(hostname.slice(1, -1));
  // Both forms lead to the IPv4 address at their end. Every socket takes the first; networks without IPv4 use the
  // second for all hosts elsewhere. Other ways to embed an IPv4 address are out of use, and all refused.
  if (parsed.range() === 'ipv4Mapped' || parsed.match(translated)) {
    return isPublicIPv4(ipaddr.fromByteArray(parsed.toByteArray().slice(12)));
  }
  // ipaddr.js says `unicast` for ranges that it does not know.
  return parsed.match(globalUnicast) && parsed.range() === 'unicast';
}

function isPublicIPv4(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'unicast' && address.toString() !== azureHost;
}

const webPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Refused although they are above the system's own ports: databases, queues, caches and remote control. */
const otherPorts = new Set([
  1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4369, 5432, 5672, 5900, 5984, 6000,
  6379, 6443, 6667, 9042, 9092, 9200, 9300, 10250, 11211, 27017,
]);

function isWebPort({ port }: URL): boolean {
  if (port === '' || port === '80' || port === '443') return true;
  return Number(port) >= 1024 && !otherPorts.has(Number(port));
}

/** A configured host as URLs write it. */
function hostOf(entry: string): string {
  const [, name = '', port = ''] = /^(.+?)(:\d{1,5})?$/.exec(entry) ?? [];
  const isBareIPv6 = isIP(entry) === 6;
  const url = URL.parse(isBareIPv6 ? `http://[${entry}]` : `http://${name}`);
  if (url === null || url.href !== `http://${url.hostname}/`) {
    throw new OutriderError('configuration', `"${entry}" is not a host name or host:port`, {
      hint: 'OUTRIDER_MEDIA_PRIVATE_HOSTS lists hosts without http:// and path, with blanks or commas between: files.local, 10.0.0.5, files.local:8080',
    });
  }
  return isBareIPv6 ? url.hostname : `${url.hostname}${port}`;
}
