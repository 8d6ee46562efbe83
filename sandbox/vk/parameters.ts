// The parameters of one call, as VK reads them: strings in a query or a form, which may spell numbers and flags.

import type { SandboxRequest } from '../simulator.ts';
import { wrongParameter } from './errors.ts';

export interface Parameters {
  /** All of them in the given order. The value of the form wins over that of the query. */
  readonly entries: readonly (readonly [string, string])[];
  /** Undefined when missing or empty. */
  text(name: string): string | undefined;
  /** Refuses what is missing: "post_id is undefined". */
  neededText(name: string): string;
  integer(name: string): number | undefined;
  neededInteger(name: string): number;
  /** Refuses a negative one: "offset should be positive". */
  natural(name: string): number | undefined;
  /** Only "1" means yes: "true" is not a number, so it means no. */
  flag(name: string): boolean;
  /** Separated by commas, blanks dropped. */
  list(name: string): string[];
}

/** A body without a content-type is read as a form: one of VK's own clients sends it that way. */
export function readParameters(
  request: Pick<SandboxRequest, 'query' | 'form' | 'headers' | 'raw'>,
): Parameters {
  const { query, form, headers, raw } = request;
  const bare = headers['content-type'] === undefined ? Buffer.from(raw).toString() : '';
  return parametersFrom([...query, ...Object.entries(form), ...new URLSearchParams(bare)]);
}

/** The argument of a call in a script: an object, or nothing. */
export function parametersOf(values: unknown): Parameters {
  const fields = typeof values === 'object' && values !== null ? Object.entries(values) : [];
  return parametersFrom(fields.map(([name, value]) => [name, textOf(value)] as const));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function parametersFrom(entries: Iterable<readonly [string, string]>): Parameters {
  const values = new Map(entries);

  function text(name: string): string | undefined {
    const value = values.get(name);
    return value === '' ? undefined : value;
  }

  function integer(name: string): number | undefined {
    const value = text(name)?.trim();
    if (value === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(value)) throw wrongParameter(`${name} not integer`);
    return Number(value);
  }

  return {
    entries: [...values],
    text,
    neededText: (name) => needed(name, text(name)),
    integer,
    neededInteger: (name) => needed(name, integer(name)),
    natural(name) {
      const value = integer(name);
      if (value !== undefined && value < 0) throw wrongParameter(`${name} should be positive`);
      return value;
    },
    flag: (name) => text(name) === '1',
    list: (name) =>
      (text(name) ?? '')
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
  };
}

function needed<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw wrongParameter(`${name} is undefined`);
  return value;
}
