// Addresses that are not on the public internet, and the many ways to write them.

import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';

/** IANA's registries of special addresses, and addresses that clouds use inside their networks. */
const special = {
  ipv4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '168.63.129.16/32',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '192.175.48.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  ipv6: [
    '::/8',
    '100::/8',
    '200::/7',
    '400::/6',
    '800::/5',
    '1000::/4',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '2620:4f:8000::/48',
    '3fff::/20',
    '4000::/2',
    '8000::/1',
  ],
} as const;

// One list for each family: in a common list, an IPv4 address would match the mapped addresses of IPv6.
const blocks = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const family of ['ipv4', 'ipv6'] as const) {
  for (const range of special[family]) {
    const [network = '', length] = range.split('/');
    blocks[family].addSubnet(network, Number(length), family);
  }
}

export function isSpecial(address: string): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return blocks[family].check(address, family);
}

/** Addresses of a range, as octets or as groups of 16 bits. */
function within(range: string, family: 'ipv4' | 'ipv6'): fc.Arbitrary<number[]> {
  const [count, bits, base, dot] = family === 'ipv4' ? [4, 8, 10, '.'] : [8, 16, 16, ':'];
  const [network = '', length] = range.split('/');
  const given = network.split(dot).map((each) => Number.parseInt(each || '0', base));
  return fc.array(fc.nat(2 ** bits - 1), { minLength: count, maxLength: count }).map((random) =>
    random.map((value, index) => {
      const fixed = Math.min(Math.max(Number(length) - index * bits, 0), bits);
      return (given[index] ?? 0) | (value & (2 ** (bits - fixed) - 1));
    }),
  );
}

/** Four octets of a special range. */
const octets = fc.constantFrom(...special.ipv4).chain((range) => within(range, 'ipv4'));
/** Eight groups of a special range. The first range is left out: it holds mapped and translated addresses too. */
const groups = fc
  .constantFrom(...special.ipv6.filter((range) => range !== '::/8'))
  .chain((range) => within(range, 'ipv6'));

export const anyIPv4 = fc
  .oneof(octets, fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }))
  .map((each) => each.join('.'));
export const anyIPv6 = fc
  .oneof(
    groups,
    fc
      .constantFrom('2000::/3', '2001::/16', '2620:4f::/32')
      .chain((range) => within(range, 'ipv6')),
  )
  .map((each) => each.map((group) => group.toString(16)).join(':'));

/** A number in one of the bases that URLs know. */
function inSomeBase(value: number): fc.Arbitrary<string> {
  return fc.constantFrom(
    String(value),
    `0x${value.toString(16)}`,
    `0X${value.toString(16).toUpperCase()}`,
    `0x000${value.toString(16)}`,
    `0${value.toString(8)}`,
  );
}

/** An IPv4 address in one to four parts; the last part holds all remaining octets. */
function inParts(address: readonly number[]): fc.Arbitrary<string> {
  return fc.integer({ min: 1, max: 4 }).chain((count) => {
    const last = address.slice(count - 1).reduce((value, octet) => value * 256 + octet, 0);
    const parts = [...address.slice(0, count - 1), last];
    return fc.tuple(...parts.map(inSomeBase)).map((written) => written.join('.'));
  });
}

const hexGroups = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]) =>
  `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;

const writtenIPv4 = octets.chain((address) =>
  fc.oneof(
    inParts(address),
    inParts(address).map((text) => `${text}.`),
    inParts(address).map((text) => text.replaceAll('.', '\u3002')),
    inParts(address).map((text) => text.replaceAll('1', '%31')),
    fc.constantFrom(
      `[::ffff:${address.join('.')}]`,
      `[::FFFF:${hexGroups(address)}]`,
      `[0:0:0:0:0:ffff:${hexGroups(address)}]`,
      `[64:ff9b::${address.join('.')}]`,
      `[64:ff9b::${hexGroups(address)}]`,
      `[64:ff9b:1::${hexGroups(address)}]`,
      `[2002:${hexGroups(address)}::]`,
      `[::${hexGroups(address)}]`,
      `[::ffff:0:${hexGroups(address)}]`,
    ),
  ),
);

const writtenIPv6 = groups.chain((address) =>
  fc.constantFrom(
    `[${address.map((group) => group.toString(16)).join(':')}]`,
    `[${address.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':')}]`,
  ),
);

/** The host of a URL, written as an address that must not be reached. */
export const specialHost = fc.oneof(writtenIPv4, writtenIPv6);
