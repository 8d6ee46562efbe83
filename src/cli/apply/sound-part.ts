// What is left of a document without its faults: the database can find the others in it.

import type { z } from 'zod';
import { Document } from './document.ts';
import type { Path } from './source.ts';

/** The document without the things that have faults; undefined when it does not say which workspace it means. */
export function soundPart(value: unknown, error: z.ZodError): Document | undefined {
  const copy: unknown = structuredClone(value);
  for (const issue of error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    for (const key of keys) remove(copy, key === undefined ? issue.path : [...issue.path, key]);
  }
  const parsed = Document.safeParse(copy);
  return parsed.success ? parsed.data : undefined;
}

/** All of the thing that the path leads into: a channel, a rate group of a platform, one setting. */
function remove(document: unknown, path: Path): void {
  const depth = path[0] === 'rate_groups' ? 3 : 2;
  const [last, ...above] = path.slice(0, depth).toReversed();
  const parent = above.reduceRight<unknown>(
    (inner, step) => (isMapping(inner) ? Reflect.get(inner, step) : undefined),
    document,
  );
  if (last !== undefined && isMapping(parent)) Reflect.deleteProperty(parent, last);
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
