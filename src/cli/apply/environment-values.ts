// Values of a configuration file that come from the environment: `${NAME}`, or `${NAME:-default}` where the variable may
// be missing. What is not in quotes is then read as YAML reads it: `${TG_ENABLED:-false}` becomes true or false.
//
//   enabled: ${TG_ENABLED:-false}      a boolean, a number or a text; a boolean default also takes 1, t, yes and on
//   title: "${CITY:-Our town}"         a text
//   owners: [one per line]
//     - ${VK_OWNERS}                   as many items as the value has, separated by commas
//   name: $${NOT_A_VARIABLE}           the text ${NOT_A_VARIABLE}
//
// In something that is not enabled, a variable that is missing stays as it is written: nothing uses the value.

import { type Document, isMap, isPair, isScalar, isSeq, Scalar, visit } from 'yaml';
import type { Fault } from './source.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Ancestors = readonly unknown[];

export interface FilledIn {
  readonly faults: readonly Fault[];
  /** Where values stayed as they are written: in something that is not enabled. */
  readonly unused: readonly number[];
}

/** Puts the values into the document, and answers with what is wrong. What a variable holds is not looked at again. */
export function fillIn(document: Document.Parsed, environment: Environment): FilledIn {
  const faults: Fault[] = [];
  const unused: number[] = [];
  const steps: (() => void)[] = [];
  visit(document, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const filled = filledIn(node.value, environment);
      const offset = node.range?.[0] ?? 0;
      const place = placeOf(ancestors, key);
      const at = (message: string) => ({ offset, message, section: String(place[0]) });
      if (filled.names.length > 0 && isClosed(place)) {
        faults.push(at(`${place.join('.')} takes no variables; ${insteadIn(place)}`));
        return;
      }
      faults.push(...filled.faults.map((fault) => at(`${place.join('.')}: ${fault}`)));
      if (filled.missing.length > 0 && isDisabled(ancestors, environment)) {
        unused.push(offset);
        return;
      }
      faults.push(
        ...filled.missing.map((name) => ({
          ...at(`${place.join('.')}: the environment variable ${name} is not set`),
          isOfVariable: true,
        })),
      );
      const items = itemsOf(node, key, ancestors, filled.text);
      steps.push(() => {
        if (items === undefined) node.value = read(node, filled.text);
        else replaceItem(ancestors.at(-1), node, items);
      });
    },
  });
  for (const step of steps) step();
  return { faults, unused };
}

interface Filled {
  readonly text: string;
  readonly names: readonly string[];
  readonly missing: readonly string[];
  readonly faults: readonly string[];
}

/** `$${`, a whole variable, or something that only begins like one. */
const variable = /\$\$\{|\$\{([^{}]*)\}|\$\{.*$/gs;
const named = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

function filledIn(text: string, environment: Environment): Filled {
  const names: string[] = [];
  const missing: string[] = [];
  const faults: string[] = [];
  const filled = text.replaceAll(variable, (whole: string, inner: string | undefined) => {
    if (whole === '$${') return '${';
    const [, name, otherwise] = named.exec(inner ?? '') ?? [];
    if (name === undefined) {
      faults.push(inner === undefined ? unfinished(whole) : noName(whole));
      return whole;
    }
    names.push(name);
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined && value.trim() !== '') return asSwitch(value.trim(), otherwise);
    if (otherwise === undefined) missing.push(name);
    return otherwise ?? whole;
  });
  return { text: filled, names, missing, faults };
}

const switches: ReadonlyMap<string, string> = new Map([
  ...['1', 't', 'yes', 'on'].map((word) => [word, 'true'] as const),
  ...['0', 'f', 'no', 'off'].map((word) => [word, 'false'] as const),
]);

/** A variable with true or false as its default is a switch, and environments write these in several ways. */
function asSwitch(value: string, otherwise: string | undefined): string {
  if (!/^(?:true|false)$/i.test(otherwise ?? '')) return value;
  return switches.get(value.toLowerCase()) ?? value;
}

function noName(whole: string): string {
  return `${whole} is no variable; write \${NAME} or \${NAME:-default}, or $${whole} for the text itself`;
}

function unfinished(rest: string): string {
  const [start = ''] = /^\$\{[^{}]{0,40}/.exec(rest) ?? [];
  const fault = /^\$\{[^{}]*\{/s.test(rest)
    ? `a variable cannot hold { or } in its default (after ${start})`
    : `${start} has no } at its end`;
  return `${fault}; write \${NAME} or \${NAME:-default}, or $\${ for the text \${`;
}

/** What a value without quotes means. A text in quotes stays a text. */
function read(node: Scalar, text: string): unknown {
  return node.type === Scalar.PLAIN ? meaningOf(text) : text;
}

function meaningOf(text: string): unknown {
  if (text === '' || text === 'null' || text === '~') return null;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)) {
    const number = Number(text);
    if (!Number.isInteger(number) || Number.isSafeInteger(number)) return number;
  }
  return text;
}

/** The items of a variable that stands alone as an item of a list; undefined for any other value. */
function itemsOf(
  node: Scalar,
  key: unknown,
  ancestors: Ancestors,
  text: string,
): unknown[] | undefined {
  if (typeof key !== 'number' || !isSeq(ancestors.at(-1)) || node.type !== Scalar.PLAIN)
    return undefined;
  if (!/^\$\{[^{}]*\}$/.test(String(node.value)) || !text.includes(',')) return undefined;
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map(meaningOf);
}

function replaceItem(list: unknown, node: Scalar, values: readonly unknown[]): void {
  if (!isSeq(list)) return;
  const { range } = node;
  const items = values.map((value) => Object.assign(new Scalar(value), { range }));
  list.items.splice(list.items.indexOf(node), 1, ...items);
}

/** The keys that lead to a value. */
function placeOf(ancestors: Ancestors, key: unknown): (string | number)[] {
  const place = ancestors.flatMap((each, n): (string | number)[] => {
    if (isPair(each) && isScalar(each.key)) return [String(each.key.value)];
    const next = ancestors[n + 1];
    return isSeq(each) && next !== undefined ? [each.items.indexOf(next)] : [];
  });
  return typeof key === 'number' ? [...place, key] : place;
}

/** Template bodies have names of their own, and a secret is never in the file. */
function isClosed(place: readonly (string | number)[]): boolean {
  return isBody(place) || isSecret(place);
}

/** References that name something else than a secret: a credential, a template, the path to an item's name. */
const openRefs = ['auth_ref', 'template_ref', 'item_ref'];

function isSecret(place: readonly (string | number)[]): boolean {
  const key = String(place.at(-1));
  if (openRefs.includes(key)) return false;
  return /_ref$|secret_hash$/.test(key) || (key === 'ref' && place.at(-2) === 'auth');
}

function isBody(place: readonly (string | number)[]): boolean {
  return place[0] === 'templates' && place.at(-1) === 'body';
}

function insteadIn(place: readonly (string | number)[]): string {
  if (!isBody(place)) return 'write env:NAME, and the secret is read where it is used';
  return 'name a value as {{name}} and give it in the settings.values of a channel';
}

/** Whether the thing around a value says `enabled: false`. */
function isDisabled(ancestors: Ancestors, environment: Environment): boolean {
  const thing = ancestors.findLast((each) => isMap(each) && each.has('enabled'));
  const enabled: unknown = isMap(thing) ? thing.get('enabled') : undefined;
  return (
    (typeof enabled === 'string' ? meaningOf(filledIn(enabled, environment).text) : enabled) ===
    false
  );
}
