// What is wrong with a document, in words that people understand.

import type { z } from 'zod';
import { nearest } from '../nearest.ts';
import { documentSchema } from './document.ts';
import type { Fault, Path, Source } from './source.ts';

/** The faults of one document, each at its place. */
export function faultsOf(source: Source, error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue) => faultsOfIssue(source, issue));
}

function faultsOfIssue(source: Source, issue: z.core.$ZodIssue): Fault[] {
  const { path } = issue;
  const section = path[0] === undefined ? undefined : String(path[0]);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      offset: source.offsetOfKey([...path, key]),
      message: `${nameOf(path)} has no key "${key}"; ${insteadOf(key, keysAt(path))}`,
      section,
    }));
  }
  const value = valueAt(source.value, path);
  const message = `${nameOf(path)} ${wordsFor(issue, value)}`;
  return [{ offset: source.offsetOf(path), message, section }];
}

function wordsFor(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'is empty; give it a value, {} for nothing, or leave it out';
  if (!issue.message.startsWith('Invalid') && !measures.includes(issue.code)) return issue.message;
  const instead = typeof value === 'object' ? '' : `, not ${JSON.stringify(value)}`;
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

function nameOf(path: Path): string {
  return path.length === 0 ? 'a document' : path.map(String).join('.');
}

function oneOf(words: readonly string[]): string {
  return words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`;
}

function insteadOf(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return meant === undefined ? `it may have ${known.join(', ')}` : `did you mean "${meant}"?`;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? Reflect.get(inner, step)
        : undefined,
    value,
  );
}

type Schema = z.core.JSONSchema.BaseSchema | boolean | undefined;

/** The keys that the schema knows at a place. */
function keysAt(path: Path): string[] {
  let mapping = mappingOf(documentSchema());
  for (const step of path) {
    mapping = mappingOf(mapping?.properties?.[String(step)] ?? mapping?.additionalProperties);
  }
  return Object.keys(mapping?.properties ?? {});
}

/** The schema of the mapping, where null is allowed as well. */
function mappingOf(schema: Schema): z.core.JSONSchema.BaseSchema | undefined {
  if (typeof schema !== 'object') return undefined;
  const branches = (schema.anyOf ?? []).filter((each) => typeof each === 'object');
  return branches.find((each) => each.properties !== undefined) ?? schema;
}
