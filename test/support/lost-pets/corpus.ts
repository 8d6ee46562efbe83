// Loads the corpus of posts about pets (test/lost-pets/corpus), and scores the reader on it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { readPost } from '../../../src/lost-pets/read-post.ts';

const folder = join(import.meta.dirname, '../../lost-pets/corpus');

const Expected = z.strictObject({
  type: z.string(),
  animal: z.string(),
  sex: z.string().optional(),
  breed: z.string().optional(),
  age: z.coerce.string().optional(),
  name: z.string().optional(),
  place: z.string().optional(),
  when: z.coerce.string().optional(),
  phones: z.array(z.string()).optional(),
  contacts: z.array(z.string()).optional(),
  vk: z.array(z.string()).optional(),
  care: z.array(z.string()).optional(),
});

const Cases = z.array(z.strictObject({ id: z.string(), text: z.string(), expect: Expected }));

export type Case = z.output<typeof Cases>[number];
export type Field = keyof Case['expect'];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the schema are its keys
export const fields = Object.keys(Expected.shape) as Field[];

export const parts = ['open', 'kept'] as const;
export type CorpusPart = (typeof parts)[number];

export function casesOf(part: CorpusPart): Case[] {
  return documentsIn(part).flatMap((document) => Cases.parse(document));
}

const Training = z.array(
  z.strictObject({ type: z.string(), animal: z.string(), text: z.string() }),
);

/** Posts for which people noted down only type and animal. */
export function trainingPosts(): z.output<typeof Training> {
  return documentsIn('training').flatMap((document) => Training.parse(document));
}

function documentsIn(part: string): unknown[] {
  const files = readdirSync(join(folder, part)).filter((file) => file.endsWith('.yaml'));
  return files
    .toSorted()
    .map((file): unknown => parse(readFileSync(join(folder, part, file), 'utf8')));
}

export interface Score {
  readonly cases: number;
  /** For each field, the share of cases in which the reader and a person agree; both may have found nothing. */
  readonly shares: Readonly<Record<Field, number>>;
  /** By the expected value, how often the reader gave each value: for posts that are `lost`, how often `lost`, `found`, … */
  readonly confusion: Readonly<
    Record<'type' | 'animal', ReadonlyMap<string, ReadonlyMap<string, number>>>
  >;
}

export function scoreOf(cases: readonly Case[]): Score {
  const agreements = new Map<Field, number>();
  const confusion = {
    type: new Map<string, Map<string, number>>(),
    animal: new Map<string, Map<string, number>>(),
  };
  for (const { text, expect } of cases) {
    const reading = readPost(text);
    for (const field of fields) {
      if (comparable(expect[field]) === comparable(reading[field]))
        agreements.set(field, (agreements.get(field) ?? 0) + 1);
    }
    for (const field of ['type', 'animal'] as const) {
      const row = confusion[field].get(expect[field]) ?? new Map<string, number>();
      row.set(reading[field], (row.get(reading[field]) ?? 0) + 1);
      confusion[field].set(expect[field], row);
    }
  }
  const shares = fields.map(
    (field) => [field, (agreements.get(field) ?? 0) / cases.length] as const,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has every field
  return { cases: cases.length, shares: Object.fromEntries(shares) as Score['shares'], confusion };
}

/** The order of a list means nothing, and an empty list is the same as none. */
function comparable(value: string | readonly string[] | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : value.toSorted().join('\n');
}
