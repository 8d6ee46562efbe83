import { expect, it } from 'vitest';
import { mayHaveSecretsOf } from '../../src/http/secret-holder.ts';

it.each([
  ['https://example.org/a', 'https://example.org/b?c=1', true],
  ['http://example.org/', 'https://example.org/', true],
  ['http://example.org:80/', 'https://example.org:443/', true],
  ['https://example.org/', 'http://example.org/', false],
  ['http://example.org/', 'https://www.example.org/', false],
  ['http://example.org/', 'https://example.org:8443/', false],
  ['http://example.org:8080/', 'https://example.org/', false],
  ['https://example.org/', 'https://example.org:444/', false],
])('the secrets of %s go to %s: %s', (first, url, isAllowed) => {
  expect(mayHaveSecretsOf(new URL(first), new URL(url))).toBe(isAllowed);
});
