// What is wrong with one value, in words.

import type { z } from 'zod';
import { maskText } from '../../masking.ts';
import { nearest } from '../given/nearest.ts';
import type { Path } from './source.ts';

/** What follows the name of the value: "must be a number". */
export function wordsFor(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'is empty; give it a value, {} for nothing, or leave it out';
  if (!issue.message.startsWith('Invalid') && !measures.includes(issue.code)) return issue.message;
  // A value of the environment may be a secret that was given to the wrong variable.
  const instead = typeof value === 'object' ? '' : `, not ${maskText(JSON.stringify(value))}`;
  if (issue.code === 'invalid_type') {
    return `must be ${forms[issue.expected] ?? issue.expected}${secretly(issue.path, instead)}`;
  }
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String);
    const meant = typeof value === 'string' ? nearest(value, known) : undefined;
    return `must be ${oneOf(known)}${instead}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  }
  if (issue.code === 'too_small') {
    const bound = issue.inclusive === false ? 'more than' : 'at least';
    return `must ${measured(issue.origin, `${bound} ${issue.minimum}`, instead)}`;
  }
  if (issue.code === 'too_big') {
    return `must ${measured(issue.origin, `at most ${issue.maximum}`, instead)}`;
  }
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  return issue.message;
}

const measures: readonly string[] = ['too_small', 'too_big'];

function measured(origin: string, bound: string, instead: string): string {
  const unit = units[origin];
  return unit === undefined ? `be ${bound}${instead}` : `have ${bound} ${unit}`;
}

const forms: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  tuple: 'a list',
};

const units: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' };

/** Leaves the value out where a secret reference should be: it may be the secret itself. */
function secretly(path: Path, instead: string): string {
  return /secret/.test(String(path.at(-1))) ? '' : instead;
}

function oneOf(words: readonly string[]): string {
  return words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`;
}

/** The value that a path leads to; undefined when there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? Reflect.get(inner, step)
        : undefined,
    value,
  );
}
