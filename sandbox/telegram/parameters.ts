// The parameters of one call, from the query, a form, multipart or JSON. The query wins.

import type { SandboxRequest, UploadedFile } from '../simulator.ts';
import { isObject } from './json.ts';
import { refusal } from './refusals.ts';

export interface Parameters {
  has(name: string): boolean;
  /** Empty when missing. Values of a JSON body that are not strings come as JSON. */
  text(name: string): string;
  required(name: string): string;
  integer(name: string, fallback: number, range?: readonly [number, number]): number;
  flag(name: string): boolean;
  /** A part of multipart. */
  file(name: string): UploadedFile | undefined;
}

/** Undefined when the body claims to be JSON and is not: the reader refuses that. */
export function readParameters(request: SandboxRequest): Parameters | undefined {
  const body = bodyFields(request);
  if (body === undefined) return undefined;
  const values = new Map([...body, ...Object.entries(request.form), ...request.query]);
  return parametersOf(values, request.files);
}

export function parametersOf(
  values: ReadonlyMap<string, string>,
  files: readonly UploadedFile[] = [],
): Parameters {
  const text = (name: string) => values.get(name) ?? '';
  return {
    has: (name) => values.has(name),
    text,
    required(name) {
      const value = text(name);
      if (value === '') throw refusal(`Parameter "${name}" is required`);
      return value;
    },
    integer(name, fallback, [least, most] = [-2147483648, 2147483647]) {
      const value = text(name);
      const number = value === '' ? fallback : leadingInteger(value);
      return Math.min(Math.max(number, least), most);
    },
    flag: (name) => ['true', 'yes', '1'].includes(text(name).toLowerCase()),
    file: (name) => files.find((file) => file.field === name && name !== ''),
  };
}

/** As the server reads numbers: digits up to the first other character, zero when there are none. */
export function leadingInteger(text: string): number {
  return Number(/^-?\d{1,15}/.exec(text)?.[0] ?? 0);
}

/** The fields of a JSON object as parameters. */
export function jsonFields(object: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(object).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
}

function bodyFields(request: SandboxRequest): [string, string][] | undefined {
  if (!(request.headers['content-type'] ?? '').startsWith('application/json')) return [];
  if (isObject(request.json)) return jsonFields(request.json);
  return request.json === undefined && request.raw.length === 0 ? [] : undefined;
}
