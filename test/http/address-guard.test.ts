import { describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../src/http/address-guard.ts';

function refusal(address: string, privateHosts: string[] = []): string | undefined {
  return createAddressGuard({ privateHosts }).refusal(new URL(address))?.reason;
}

describe('a URL', () => {
  it.each([
    'http://example.org/a.jpg',
    'https://example.org/',
    'http://example.org:443/',
    'https://example.org:80/',
    'https://example.org:1024/',
    'http://example.org:8080/',
    'http://example.org:65535/',
  ])('may be asked: %s', (address) => {
    expect(refusal(address)).toBeUndefined();
  });

  it.each(['ftp://example.org/a', 'file:///etc/passwd', 'data:image/png,a', 'blob:x', 'ws://a/'])(
    'of another scheme is refused: %s',
    (address) => {
      expect(refusal(address, ['example.org', 'a'])).toBe(
        'only http and https addresses are fetched',
      );
    },
  );

  it.each(['http://ann@example.org/', 'http://ann:s3cret@example.org/', 'http://:s3cret@a.org/'])(
    'with credentials is refused, without a word of them: %s',
    (address) => {
      expect(refusal(address, ['example.org', 'a.org'])).toBe(
        'an address with a user name or a password is not fetched',
      );
    },
  );

  it.each([1, 22, 25, 53, 110, 445, 1023, 2375, 3306, 5432, 6379, 9200, 11_211, 27_017])(
    'with the port of something else than a web server is refused: %i',
    (port) => {
      expect(refusal(`http://example.org:${port}/`)).toBe(
        `port ${port} is not one that web servers use`,
      );
      expect(refusal(`http://example.org:${port}/`, ['example.org'])).toBeUndefined();
    },
  );
});

describe('a private host', () => {
  // The port tells: only that of a private host is free.
  it.each<[string, string]>([
    ['files.internal', 'http://files.internal:22/'],
    ['Files.INTERNAL', 'http://files.internal:22/'],
    ['files.internal:22', 'https://files.internal:22/'],
    ['127.0.0.1:22', 'http://2130706433:22/'],
    ['[::1]:22', 'http://[0::1]:22/'],
    ['::1', 'http://[::1]:22/'],
    ['ёж.рф', 'http://xn--f1a7c.xn--p1ai:22/'],
  ])('is meant however it is written: %s is %s', (entry, address) => {
    expect(refusal(address, [entry])).toBeUndefined();
  });

  it.each<[string, string]>([
    ['files.internal:23', 'http://files.internal:22/'],
    ['files.internal', 'http://a.files.internal:22/'],
    ['files.internal', 'http://files.internal.example.org:22/'],
    ['files.internal', 'http://files.internal.:22/'],
    ['127.0.0.1', 'http://127.0.0.2:22/'],
  ])('is exactly that one: %s is not %s', (entry, address) => {
    expect(refusal(address, [entry])).toMatch('port 22');
  });

  it.each([
    '',
    ':80',
    'http://localhost',
    'a/b',
    'a b',
    'ann@a',
    'a?b',
    'a:b',
    '[::1',
    '*.a.org:x',
  ])('that cannot be read ends the start: %j', (entry) => {
    expect(() => createAddressGuard({ privateHosts: [entry] })).toThrow(
      expect.objectContaining({
        message: `"${entry}" is not a host name or host:port`,
        hint: expect.stringContaining('OUTRIDER_MEDIA_PRIVATE_HOSTS lists hosts without http://'),
      }),
    );
  });
});
