// The platforms as the texts of commands name them.

import { platforms } from '../../adapters/platforms.ts';

/** Such as "telegram, max or vk". */
export function inWords(words: readonly string[], type: 'conjunction' | 'disjunction'): string {
  return new Intl.ListFormat('en-GB', { type }).format(words);
}

export const platformNames = platforms.map(({ name }) => name);

/** "Telegram, MAX and VK" */
export const platformTitles = inWords(
  platforms.map(({ title }) => title),
  'conjunction',
);
