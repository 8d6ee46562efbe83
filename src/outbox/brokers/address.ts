// Addresses of brokers: scheme://user:password@host:port,host:port/path?name=value. A URL has one host, these may have
// several. An address carries a password: only its hosts and ports are ever shown.

import { OutriderError } from '../../errors.ts';

export interface BrokerAddress {
  readonly scheme: string;
  readonly hosts: readonly BrokerHost[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** What stands between the slashes, decoded. */
  readonly path: readonly string[];
  readonly parameters: ReadonlyMap<string, string>;
}

export interface BrokerHost {
  /** IPv6 without brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

/** How to connect to a broker's servers. */
export interface BrokerLogin {
  readonly isSecure: boolean;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly timeoutMs: number;
}

const form =
  /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/i;
const hostForm = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<name>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/i;

/** The name of a topic, stream or exchange when the address gives none. */
export const defaultName = 'pf-domain-events';

export function parseAddress(text: string): BrokerAddress {
  const found = form.exec(text)?.groups;
  if (found === undefined) throw unreadable();
  const { scheme = '', user, hosts = '', path = '', query } = found;
  const [username, ...password] = (user ?? '').split(':');
  return {
    scheme: scheme.toLowerCase(),
    hosts: hosts.split(',').map(parseHost),
    username: decoded(username),
    password: decoded(password.join(':')),
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map((part) => decoded(part) ?? ''),
    parameters: new Map(new URLSearchParams(query)),
  };
}

function parseHost(text: string): BrokerHost {
  const found = hostForm.exec(text)?.groups;
  const host = found?.['six'] ?? found?.['name'];
  if (host === undefined) throw unreadable();
  const port = found?.['port'];
  return { host, port: port === undefined ? undefined : Number(port) };
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable();
  }
}

function unreadable(): OutriderError {
  return new OutriderError('configuration', 'the address of the broker cannot be read', {
    hint: 'OUTRIDER_OUTBOX_BROKER has the form scheme://user:password@host:port/name, with special characters percent-encoded',
  });
}

/** Hosts and ports of a broker. A host without a port has the usual one of the scheme. */
export function placeOf({ hosts }: BrokerAddress, usualPort: number): string {
  return hosts
    .map(({ host, port = usualPort }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
    .join(', ');
}

/** The only host of an address. */
export function onlyHost({ scheme, hosts: [host, another] }: BrokerAddress): BrokerHost {
  if (host === undefined || another !== undefined) {
    throw new OutriderError('configuration', `a ${scheme}: address has one host`);
  }
  return host;
}

/** The values of the parameters that a broker knows; throws for any other, which is a typing error. */
export function readParameters<Name extends string>(
  { scheme, parameters }: BrokerAddress,
  ...names: readonly Name[]
): Partial<Record<Name, string>> {
  const known = new Set<string>(names);
  const unknown = parameters.keys().find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new OutriderError(
      'configuration',
      `a ${scheme}: address has no parameter "${unknown}"`,
      names.length === 0 ? {} : { hint: `it may have ${names.join(', ')}` },
    );
  }
  const values: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = parameters.get(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

export function readFlag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new OutriderError('configuration', `the parameter "${name}" must be true or false`);
}
