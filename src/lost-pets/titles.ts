// The first line of a repost: an icon and a title, with the animal and its sex where they are known.

import type { Reading } from './read-post.ts';

export interface Heading {
  readonly icon: string;
  readonly title: string;
}

interface Words {
  readonly icon: string;
  /** About a pet, a he and a she. */
  readonly pet: string;
  readonly he: (animal: string) => string;
  readonly she: (animal: string) => string;
}

const words: Readonly<Partial<Record<Reading['type'], Words>>> = {
  lost: {
    icon: '🔎',
    pet: 'Пропал питомец',
    he: (animal) => `Пропал ${animal}`,
    she: (animal) => `Пропала ${animal}`,
  },
  found: {
    icon: '✅',
    pet: 'Найден питомец',
    he: (animal) => `Найден ${animal}`,
    she: (animal) => `Найдена ${animal}`,
  },
  sighting: {
    icon: '👀',
    pet: 'Замечен питомец',
    he: (animal) => `Замечен ${animal}`,
    she: (animal) => `Замечена ${animal}`,
  },
  adoption: {
    icon: '🏠',
    pet: 'Питомец ищет дом',
    he: (animal) => `${capitalised(animal)} ищет дом`,
    she: (animal) => `${capitalised(animal)} ищет дом`,
  },
  fundraising: {
    icon: '💳',
    pet: 'Нужна помощь питомцу',
    he: (animal) => `Нужна помощь: ${animal}`,
    she: (animal) => `Нужна помощь: ${animal}`,
  },
  news: { icon: '📰', pet: 'Новости', he: () => 'Новости', she: () => 'Новости' },
};

/** Undefined: nothing is to be said of such a post. */
export function headingOf({
  type,
  animal,
  sex,
}: Pick<Reading, 'type' | 'animal' | 'sex'>): Heading | undefined {
  const said = words[type];
  if (said === undefined) return undefined;
  const { icon } = said;
  if (animal === 'dog')
    return { icon, title: sex === 'male' ? said.he('пёс') : said.she('собака') };
  if (animal === 'cat') return { icon, title: sex === 'male' ? said.he('кот') : said.she('кошка') };
  return { icon, title: said.pet };
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
