// What is wrong with a document, in words that people understand.

import type { z } from 'zod';
import { nearest } from '../given/nearest.ts';
import { documentSchema } from './document.ts';
import { valueAt, wordsFor } from './fault-words.ts';
import type { Fault, Path, Source } from './source.ts';

type Schema = z.core.JSONSchema.BaseSchema | boolean | undefined;

/** The faults of one document, each at its place. `schema` knows the keys that it may have. */
export function faultsOf(
  source: Source,
  error: z.ZodError,
  schema: Schema = documentSchema(),
): Fault[] {
  return error.issues.flatMap((issue) => faultsOfIssue(source, issue, schema));
}

function faultsOfIssue(source: Source, issue: z.core.$ZodIssue, schema: Schema): Fault[] {
  const { path } = issue;
  const section = path[0] === undefined ? undefined : String(path[0]);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      offset: source.offsetOfKey([...path, key]),
      message: `${nameOf(path)} has no key "${key}"; ${insteadOf(key, keysAt(schema, path))}`,
      section,
    }));
  }
  const value = valueAt(source.value, path);
  const message = `${nameOf(path)} ${wordsFor(issue, value)}`;
  return [{ offset: source.offsetOf(path), message, section }];
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'a document' : path.map(String).join('.');
}

function insteadOf(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return meant === undefined ? `it may have ${known.join(', ')}` : `did you mean "${meant}"?`;
}

/** The keys that the schema knows at a place. */
function keysAt(schema: Schema, path: Path): string[] {
  let mapping = mappingOf(schema);
  for (const step of path) {
    mapping = mappingOf(
      typeof step === 'number' && !Array.isArray(mapping?.items)
        ? mapping?.items
        : (mapping?.properties?.[String(step)] ?? mapping?.additionalProperties),
    );
  }
  return Object.keys(mapping?.properties ?? {});
}

/** The schema of the mapping, where null is allowed as well. */
function mappingOf(schema: Schema): z.core.JSONSchema.BaseSchema | undefined {
  if (typeof schema !== 'object') return undefined;
  const branches = (schema.anyOf ?? []).filter((each) => typeof each === 'object');
  return branches.find((each) => each.properties !== undefined) ?? schema;
}
