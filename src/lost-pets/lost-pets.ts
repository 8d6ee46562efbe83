// What the reader gives to a post: tags, by which it is routed, and fields, which templates show.

import { type Reading, readPost } from './read-post.ts';
import { headingOf } from './titles.ts';

type FieldValue = string | number | boolean | null;

/** The parts of a post that are read or added to. */
export interface ReadablePost {
  readonly text?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly fields?: Readonly<Record<string, FieldValue>> | null | undefined;
}

export interface Added {
  readonly tags: readonly string[];
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/**
 * The post with the tags of its type and animal (`lost`, `dog`) and with the fields `icon`, `kind`, `animal`, `sex`,
 * `breed`, `age`, `name`, `place`, `when`, `phones`, `contacts`, `vk` and `care`, as far as the post says them. Fields
 * that it has already stay.
 */
export function lostPets<Post extends ReadablePost>(post: Post): Post & Added {
  const reading = readPost([post.title, post.text].filter(Boolean).join('\n'));
  const tags = [...new Set([...(post.tags ?? []), ...tagsOf(reading)])];
  return { ...post, tags, fields: { ...fieldsOf(reading, accountsOf(post)), ...post.fields } };
}

function tagsOf({ type, animal }: Reading): string[] {
  return animal === 'unknown' ? [type] : [type, animal];
}

const longest = 4096;

function fieldsOf(reading: Reading, accounts: readonly string[]): Record<string, string> {
  const { animal, sex, breed, age, name, place, when, phones, contacts, vk, care } = reading;
  const heading = headingOf(reading);
  const said: Readonly<Record<string, string | undefined>> = {
    icon: heading?.icon,
    kind: heading?.title,
    animal: animal === 'unknown' ? undefined : animal,
    sex,
    breed,
    age,
    name,
    place,
    when,
    phones: phones.join(', '),
    contacts: contacts.join(', '),
    vk: [...new Set([...vk, ...accounts])].map((account) => `https://vk.com/${account}`).join(' '),
    care: care.join(', '),
  };
  const fields: Record<string, string> = {};
  for (const [field, value] of Object.entries(said)) {
    if (value !== undefined && value !== '') fields[field] = value.slice(0, longest);
  }
  return fields;
}

/** The accounts that a wall's post mentions: its source has taken the mentions out of the text. */
function accountsOf({ fields }: ReadablePost): string[] {
  const accounts = fields?.['accounts'];
  return typeof accounts === 'string' ? accounts.split(', ').filter((each) => each !== '') : [];
}
