// The part of a document that has no faults of form. The database can look for its own kind of faults in that part.

import type { z } from 'zod';
import { nearest } from '../given/nearest.ts';
import { Document } from './document.ts';
import type { Path } from './source.ts';

/** The document without what has faults; undefined when it does not say which workspace it means. */
export function soundPart(value: unknown, error: z.ZodError): Document | undefined {
  const copy: unknown = structuredClone(value);
  for (const issue of error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    for (const key of keys) remove(copy, key === undefined ? issue.path : [...issue.path, key]);
  }
  const parsed = Document.safeParse(copy);
  return parsed.success ? parsed.data : undefined;
}

/** The fields that a thing needs: with a fault in one of them, the whole thing is left out. */
const needed = [
  'platform',
  'target_id',
  'auth_ref',
  'kind',
  'secret_ref',
  'secret_hash',
  'body',
  'config',
];

/** The fields that window_mode needs: with a fault in one of them, window_mode is left out, too. */
const window = ['posting_window', 'timezone'];

/**
 * Removes the field that the path leads into, or the whole thing (a channel, a rate group) if it needs that field. The fields
 * of a bot's rule need one another, so a rule is always left out as a whole.
 */
function remove(document: unknown, path: Path): void {
  const depth = path[0] === 'rate_groups' ? 3 : 2;
  const thing = path.slice(0, depth);
  if (path.length <= depth || path[0] === 'bot_rules') return removeAt(document, thing);
  // An unknown key may be one of these, misspelt.
  const field = nearest(String(path[depth]), [...needed, ...window]);
  if (field !== undefined && needed.includes(field)) return removeAt(document, thing);
  removeAt(document, path.slice(0, depth + 1));
  if (field !== undefined) removeAt(document, [...thing, 'window_mode']);
}

export function removeAt(document: unknown, path: Path): void {
  const [last, ...above] = path.toReversed();
  const parent = above.reduceRight<unknown>(
    (inner, step) => (isMapping(inner) ? Reflect.get(inner, step) : undefined),
    document,
  );
  if (last !== undefined && isMapping(parent)) Reflect.deleteProperty(parent, last);
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
