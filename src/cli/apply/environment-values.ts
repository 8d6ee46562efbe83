// Values of a configuration file that come from the environment: `${NAME}`, or `${NAME:-default}` where the variable may
// be missing. What is not in quotes is then read as YAML reads it: `${TG_ENABLED:-false}` becomes true or false.
//
//   enabled: ${TG_ENABLED:-false}      a boolean, a number or a text
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

const variable = /\$(\$?)\{([^{}]*)\}/g;
const named = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/** Puts the values into the document, and answers with what is wrong. */
export function fillIn(document: Document.Parsed, environment: Environment): Fault[] {
  const faults: Fault[] = [];
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
      if (filled.missing.length > 0 && isDisabled(ancestors, environment)) return;
      faults.push(
        ...filled.missing.map((name) => ({
          ...at(`${place.join('.')}: the environment variable ${name} is not set`),
          isOfVariable: true,
        })),
      );
      const values = itemsOf(node, key, ancestors, filled.text);
      if (values === undefined) node.value = read(node, filled.text);
      else replaceItem(ancestors.at(-1), key, values);
    },
  });
  return faults;
}

interface Filled {
  readonly text: string;
  readonly names: readonly string[];
  readonly missing: readonly string[];
  readonly faults: readonly string[];
}

function filledIn(text: string, environment: Environment): Filled {
  const names: string[] = [];
  const missing: string[] = [];
  const faults: string[] = [];
  const filled = text.replaceAll(variable, (whole, escaped: string, inner: string) => {
    if (escaped !== '') return `\${${inner}}`;
    const [, name, otherwise] = named.exec(inner) ?? [];
    if (name === undefined) {
      faults.push(
        `${whole} is no variable; write \${NAME} or \${NAME:-default}, or $${whole} for the text itself`,
      );
      return whole;
    }
    names.push(name);
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined && value.trim() !== '') return value.trim();
    if (otherwise === undefined) missing.push(name);
    return otherwise ?? whole;
  });
  return { text: filled, names, missing, faults };
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

/** The items that a variable stands for which is an item of a list by itself; undefined: it is no such item. */
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

function replaceItem(list: unknown, key: unknown, values: readonly unknown[]): void {
  if (!isSeq(list) || typeof key !== 'number') return;
  const range = isScalar(list.items[key]) ? list.items[key].range : undefined;
  const items = values.map((value) => Object.assign(new Scalar(value), { range }));
  list.items.splice(key, 1, ...items);
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
  const key = String(place.at(-1));
  return isBody(place) || /(?:^|_)secret_(?:ref|hash)$/.test(key);
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
