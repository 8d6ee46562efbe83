import { describe, expect, it } from 'vitest';
import { isOfThisMachine } from '../../src/http/this-machine.ts';

describe('a request of this machine', () => {
  const isOf = (remoteAddress: string, headers: Readonly<Record<string, string>>) =>
    isOfThisMachine({ socket: { remoteAddress }, headers });

  it.each([
    ['127.0.0.1', 'localhost:8080'],
    ['127.0.0.1', '127.0.0.1:8080'],
    ['127.8.8.8', 'LOCALHOST'],
    ['::1', '[::1]:8080'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
  ])('comes from %s, for %s', (address, host) => {
    expect(isOf(address, { host })).toBe(true);
  });

  it.each([
    ['203.0.113.7', { host: 'localhost' }],
    ['', { host: 'localhost' }],
    ['127.0.0.1', {}],
    ['127.0.0.1', { host: 'news.example' }],
    ['127.0.0.1', { host: '203.0.113.7' }],
    ['127.0.0.1', { host: 'localhost', via: '1.1 proxy' }],
    ['127.0.0.1', { host: 'localhost', forwarded: 'for=203.0.113.7' }],
    ['127.0.0.1', { host: 'localhost', 'x-forwarded-for': '203.0.113.7' }],
    ['127.0.0.1', { host: 'localhost', 'x-forwarded-host': 'news.example' }],
    ['127.0.0.1', { host: 'localhost', 'x-real-ip': '203.0.113.7' }],
  ])('is not one from %j with %j', (address, headers) => {
    expect(isOf(address, headers)).toBe(false);
  });
});
