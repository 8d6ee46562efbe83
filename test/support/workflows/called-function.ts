// What a Postgres node calls. A query of a workflow is one call of one function of Outrider, and nothing else.

import { z } from 'zod';
import type { WorkflowNode } from './workflow.ts';

const Parameters = z.strictObject({
  operation: z.literal('executeQuery'),
  query: z.string(),
  options: z.strictObject({
    queryBatching: z.literal('independently'),
    queryReplacement: z.string().optional(),
  }),
});

export interface CalledFunction {
  readonly name: string;
  readonly query: string;
  /** Each as SQL. */
  readonly args: readonly string[];
  /** The expressions that n8n puts in the places of $1, $2 …; undefined when they are not given as an array. */
  readonly values: readonly string[] | undefined;
}

// A parameter or a constant, with a cast, in functions that only reckon. No query, and nothing by its name, as p_now is.
const value = String.raw`(\$\d+|null|true|false|\d+|'[^']*')(::\w+(\[\])?)?`;
const reckoned = String.raw`(md5|octet_length)\(${value}\)(::\w+)?`;
const argument = new RegExp(String.raw`^(${value}|${reckoned}|greatest\(${value}, ${reckoned}\))$`);

/** Throws when the query is anything but one call. */
export function calledFunction(node: WorkflowNode): CalledFunction {
  const { query, options } = Parameters.parse(node.parameters);
  const { queryReplacement: given } = options;
  const calls = [...query.matchAll(/\boutrider\.(\w+)\(/g)];
  const [call] = calls;
  if (call === undefined || calls.length > 1) {
    throw new Error(`calls ${calls.length} functions of outrider, not one`);
  }
  if (!/^select [^;]*$/.test(query)) throw new Error('is more than one select');
  if (/\{\{/.test(query)) throw new Error('has an expression in its text');
  // A list, a name for the row, a comparison or a name for the value may stand around the call; a table may not.
  const { args, end } = argumentsFrom(query, call.index + call[0].length);
  const around = `${query.slice(0, call.index)}f()${query.slice(end)}`;
  if (!/^select ([\w.,*$: ]+ from )?f\(\)( <= clock_timestamp\(\))?( as \w+)?$/.test(around)) {
    throw new Error(`does more than a call: ${around}`);
  }
  const odd = args.find((each) => !argument.test(each));
  if (odd !== undefined) throw new Error(`gives more than a value: ${odd}`);
  return { name: call[1] ?? '', query, args, values: given === undefined ? [] : valuesOf(given) };
}

function argumentsFrom(query: string, from: number): { args: string[]; end: number } {
  const { parts, end } = split(query, from);
  return { args: parts, end };
}

function valuesOf(replacement: string): string[] | undefined {
  const list = /^=\{\{ \[(.*)\] \}\}$/s.exec(replacement)?.[1];
  if (list === undefined) return undefined;
  const { parts, end } = split(`${list})`, 0);
  return end > list.length ? parts : undefined;
}

/** Splits at commas, up to the bracket that closes what `from` is inside of. */
function split(text: string, from: number): { parts: string[]; end: number } {
  const parts: string[] = [];
  let depth = 0;
  let quote: string | undefined;
  let start = from;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
    } else if (char === "'" || char === '"') {
      quote = char;
    } else if ('([{'.includes(char)) {
      depth += 1;
    } else if (')]}'.includes(char)) {
      depth -= 1;
      if (depth < 0) {
        const last = text.slice(start, at).trim();
        return { parts: last === '' && parts.length === 0 ? [] : [...parts, last], end: at + 1 };
      }
    } else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  throw new Error(`a bracket is not closed in ${text}`);
}
