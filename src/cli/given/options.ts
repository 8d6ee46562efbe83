// Reads the words of a command line. What is wrong with them is reported in our own words, before anything is done.

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../command.ts';
import { nearest } from './nearest.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

export const text = { type: 'string' } as const;
export const texts = { type: 'string', multiple: true } as const;
export const flag = { type: 'boolean', default: false } as const;

/** Options by their names, and the other words. */
export function readOptions<const Known extends Options>(args: readonly string[], options: Known) {
  requireKnown(args, options);
  return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
}

/** The options of a command that takes no other words. */
export function readOptionsOnly<const Known extends Options>(
  args: readonly string[],
  options: Known,
) {
  const { values, positionals } = readOptions(args, options);
  const [word] = positionals;
  if (word === undefined) return values;
  throw new UsageError(`"${word}" is one word too many: only options are understood here`);
}

function requireKnown(args: readonly string[], options: Options): void {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option') requireSound(token, options[token.name]?.type, options);
  }
}

interface Token {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function requireSound(
  { name, rawName, value, inlineValue }: Token,
  type: 'string' | 'boolean' | undefined,
  options: Options,
): void {
  if (type === undefined) throw new UsageError(unknownOption(rawName, Object.keys(options)));
  if (type === 'boolean' && value !== undefined) {
    throw new UsageError(`${rawName} takes no value`);
  }
  if (type === 'string' && value === undefined) throw new UsageError(`--${name} needs a value`);
  // It may be the next option: then the value was forgotten.
  if (inlineValue === false && value?.startsWith('-') === true && value !== '-') {
    throw new UsageError(
      `--${name} needs a value; one that begins with a dash is written --${name}=${value}`,
    );
  }
}

function unknownOption(rawName: string, known: readonly string[]): string {
  if (/^-\d/.test(rawName)) {
    return `there is no option ${rawName}; an id that begins with a minus comes last, after --`;
  }
  const meant = nearest(rawName.replace(/^-+/, ''), known);
  const instead =
    meant === undefined
      ? `there is ${known.map((each) => `--${each}`).join(', ')}`
      : `did you mean --${meant}?`;
  return `there is no option ${rawName}; ${instead}`;
}
