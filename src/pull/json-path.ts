// Paths into JSON: `author.name`, `photos[0].url`, `photos[*].url`, `["odd name"].x`. An empty path is the whole.

import { OutriderError } from '../errors.ts';

export type JsonPath = readonly Step[];

/** A key of an object, a place in a list (negative: from the end), or every element of a list. */
type Step = string | number | typeof each;

const each = Symbol('each element');

const step = /\.?([\p{L}_$@][\p{L}\p{N}_$@:-]*)|\[(-?\d{1,9})\]|\[(\*)\]|\[("(?:[^"\\]|\\.)*")\]/uy;

/** The path, or a sentence about what is wrong with it. */
export function parsePath(text: string): JsonPath | string {
  const steps: Step[] = [];
  for (let at = 0; at < text.length; at = step.lastIndex) {
    step.lastIndex = at;
    const [whole, name, index, star, quoted] = step.exec(text) ?? [];
    const isJoined = whole?.startsWith('.') === at > 0 || whole?.startsWith('[') === true;
    if (whole === undefined || !isJoined) {
      return `cannot be read from character ${at + 1} on; a path is like author.name or photos[0].url`;
    }
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (star !== undefined) steps.push(each);
    else steps.push(String(JSON.parse(quoted ?? '""')));
  }
  return steps;
}

/** A path that the configuration's check has let pass. */
export function requirePath(text: string): JsonPath {
  const path = parsePath(text);
  if (typeof path === 'string') throw new OutriderError('configuration', `path ${text} ${path}`);
  return path;
}

/** What stands there; undefined when nothing does. With [*] a list of what was found. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  let at = value;
  for (const [index, key] of path.entries()) {
    if (key === each) {
      const rest = path.slice(index + 1);
      if (!Array.isArray(at)) return undefined;
      return at.flatMap((element: unknown) => valueAt(element, rest) ?? []);
    }
    if (typeof key === 'number') at = Array.isArray(at) ? at.at(key) : undefined;
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** False where the path is wrong: where a list has elements, and the path leads into none of them. */
export function leadsOn(value: unknown, path: JsonPath): boolean {
  const at = path.indexOf(each);
  if (at === -1) return valueAt(value, path) !== undefined;
  const list = valueAt(value, path.slice(0, at));
  if (!Array.isArray(list)) return false;
  return list.length === 0 || list.some((element) => leadsOn(element, path.slice(at + 1)));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
