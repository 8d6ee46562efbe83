import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/http/address-guard.ts';
import { anyIPv4, anyIPv6, isSpecial } from '../support/http/special-addresses.ts';

describe('an address on the public internet', () => {
  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
    '168.63.129.15',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '2001:4860:4860::8888',
    '::ffff:1.1.1.1',
    '::ffff:101:101',
    '64:ff9b::1.1.1.1',
    '64:FF9B::101:101',
  ])('may be reached: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('an address that is not', () => {
  it.each([
    ['this network', '0.0.0.0', '0.1.2.3', '::'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00::2'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255', '100.100.100.200'],
    [
      'link-local',
      '169.254.169.254',
      '169.254.0.1',
      'fe80::1',
      'febf::1',
      '::ffff:169.254.169.254',
    ],
    ['site-local', 'fec0::1'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1', '192.0.0.1', '198.18.0.1', '192.88.99.1', '192.31.196.1'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    ['translated (NAT64)', '64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::a9fe:a9fe'],
    ['translated for a network of one’s own', '64:ff9b:1::1', '64:ff9b:1::101:101'],
    ['6to4', '2002:7f00:1::', '2002:a00:1::1', '2002:101:101::'],
    ['Teredo', '2001::1', '2001:0:7f00:1::'],
    ['IPv4-compatible', '::127.0.0.1', '::7f00:1', '::1.1.1.1', '::101:101'],
    ['IPv4-translated', '::ffff:0:127.0.0.1', '::ffff:0:101:101'],
    ['not given to anyone', '4000::1', 'a000::1', '5f00::1', '100::1', '2001:2::1', '2001:20::1'],
    ['with a zone', 'fe80::1%eth0', '2606:4700::1111%eth0', '::1%1'],
    ['the host of a virtual machine', '168.63.129.16', '::ffff:168.63.129.16'],
    [
      'no address',
      '',
      'localhost',
      '010.0.0.1',
      '1.1.1',
      '16843009',
      '0x1.1.1.1',
      '[::1]',
      '1.1.1.1 ',
    ],
  ])('is refused: %s', (_kind, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it('is what the registries say, for IPv4', () => {
    fc.assert(
      fc.property(anyIPv4, (address) => {
        expect(isPublicAddress(address)).toBe(!isSpecial(address));
      }),
      { numRuns: 2000 },
    );
  });

  it('is what the registries say, for IPv6', () => {
    fc.assert(
      fc.property(anyIPv6, (address) => {
        expect(isPublicAddress(address)).toBe(!isSpecial(address));
      }),
      { numRuns: 2000 },
    );
  });
});
