// Reads the JSON that callers put into parameters, and refuses it in the words of the server.

import { refusal } from './refusals.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The value of the JSON text; refuses with the complaint when it is not JSON. */
export function decode(text: string, complaint: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(complaint);
  }
}

export function requiredText(object: JsonObject, name: string): string {
  if (!(name in object)) throw refusal(`Can't find field "${name}"`);
  return optionalText(object, name);
}

export function optionalText(object: JsonObject, name: string): string {
  const value = object[name];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw refusal(`Field "${name}" must be of type String`);
}

export function optionalFlag(object: JsonObject, name: string): boolean {
  const value = object[name];
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw refusal(`Field "${name}" must be of type Boolean`);
}

function optionalInteger(object: JsonObject, name: string): number {
  const value = object[name];
  if (value === undefined || value === null) return 0;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number)) return number;
  throw refusal(`Field "${name}" must be a valid Number`);
}

export function requiredInteger(object: JsonObject, name: string): number {
  if (!(name in object)) throw refusal(`Can't find field "${name}"`);
  return optionalInteger(object, name);
}

/** Undefined when the field is missing. */
export function optionalList(object: JsonObject, name: string): readonly unknown[] | undefined {
  const value = object[name];
  if (value === undefined || value === null) return undefined;
  if (isList(value)) return value;
  throw refusal(`Field "${name}" must be of type Array`);
}
