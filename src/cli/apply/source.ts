// The text of a configuration file: its documents, and where in the text each of their values stands.

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
} from 'yaml';
import { InvalidInputError } from '../../errors.ts';
import { cutTo } from '../screen/shown-text.ts';
import { fillIn } from './environment-values.ts';
import { readTimeouts } from './timeouts.ts';

export type Path = readonly PropertyKey[];

/** What is wrong, and where. */
export interface Fault {
  readonly offset: number;
  readonly message: string;
  /** The section that it is in. */
  readonly section?: string | undefined;
  /** Nothing is wrong with the file: a secret that it refers to is not there. */
  readonly isOfSecret?: boolean | undefined;
  /** Nothing is wrong with the file: an environment variable that it names is not set. */
  readonly isOfVariable?: boolean | undefined;
}

/** One document of a file. */
export interface Source {
  readonly value: unknown;
  /** The place of a value, or of the nearest thing around it that is there. */
  offsetOf(path: Path): number;
  /** The place of a key. */
  offsetOfKey(path: Path): number;
}

export interface SourceFile {
  readonly documents: readonly Source[];
  /** What is wrong with the values that come from the environment. */
  readonly valueFaults: readonly Fault[];
  /** Where a variable is missing in something that is not enabled: nothing uses the value. */
  readonly unused: readonly number[];
  /** An error that names the places and quotes their lines. */
  readonly refusal: (faults: readonly Fault[], hint: string) => InvalidInputError;
}

const hint = 'correct the file and try again';

/** Reads YAML, with values of the environment filled in if one is given; throws what is wrong with the YAML. */
export function readSource(
  name: string,
  text: string,
  environment?: Readonly<Record<string, string | undefined>>,
): SourceFile {
  const lineCounter = new LineCounter();
  const options = { lineCounter, prettyErrors: false, merge: true, stringKeys: true } as const;
  const parsed: readonly Document.Parsed[] = [...parseAllDocuments(text, options)];
  const refusal: SourceFile['refusal'] = (faults, next) =>
    new InvalidInputError(inWords(name, text, lineCounter, faults), { hint: next });

  const faults = parsed.flatMap(yamlFaults);
  if (faults.length > 0) throw refusal(faults, hint);
  const filled = environment === undefined ? [] : parsed.map((each) => fillIn(each, environment));
  for (const each of parsed) readTimeouts(each);
  return {
    valueFaults: filled.flatMap((each) => each.faults),
    unused: filled.flatMap((each) => each.unused),
    documents: parsed.filter((each) => each.contents !== null).map((each) => sourceOf(name, each)),
    refusal,
  };
}

function yamlFaults(document: Document.Parsed): Fault[] {
  const faults = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    offset: pos[0],
    message: words[code] ?? message.charAt(0).toLowerCase() + message.slice(1),
  }));
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return;
      const message = `*${alias.source} names an anchor that does not stand before it`;
      faults.push({ offset: alias.range?.[0] ?? 0, message });
    },
  });
  return faults;
}

const words: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab cannot indent YAML; use spaces',
  DUPLICATE_KEY: 'this key stands twice in the same mapping',
  NON_STRING_KEY: 'a key must be a text',
};

function sourceOf(name: string, document: Document.Parsed): Source {
  return {
    value: plain(name, document),
    offsetOf: (path) => find(document, path).value,
    offsetOfKey: (path) => find(document, path).key,
  };
}

function plain(name: string, document: Document.Parsed): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // Aliases of aliases that would grow without end.
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    throw new InvalidInputError(`${name} cannot be used: ${reason}`, { hint });
  }
}

function find(document: Document.Parsed, path: Path): { key: number; value: number } {
  let node: unknown = document.contents;
  const place = { key: document.range[0], value: document.range[0] };
  if (isMap(node)) place.key = place.value = node.range?.[0] ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(
        ({ key }) => isScalar(key) && String(key.value) === String(step),
      );
      if (pair === undefined || !isScalar(pair.key)) break;
      place.key = pair.key.range?.[0] ?? place.key;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      if (!isScalar(node) && !isSeq(node) && !isMap(node)) break;
      place.key = node.range?.[0] ?? place.key;
    } else break;
    place.value = isScalar(node) && node.source !== '' ? (node.range?.[0] ?? place.key) : place.key;
  }
  return place;
}

const shownAtMost = 10;

function inWords(
  name: string,
  text: string,
  lineCounter: LineCounter,
  faults: readonly Fault[],
): string {
  const lines = text.split(/\r?\n/);
  const shown = faults
    .toSorted((a, b) => a.offset - b.offset)
    .slice(0, shownAtMost)
    .map(({ offset, message }) => {
      const { line, col } = lineCounter.linePos(offset);
      const quoted = `    ${line} | ${harmless(lines[line - 1] ?? '')}`;
      return `line ${line}, column ${col}: ${message}\n${quoted}`;
    });
  if (faults.length === 1) return `${name}, ${shown.join('')}`;
  const more = faults.length - shown.length;
  return [
    `${name} has ${faults.length} faults:`,
    ...shown.map((each) => `  ${each}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}

/** A line as it may be shown: without a value that may be a secret in the wrong place. */
function harmless(line: string): string {
  const shown = line.replaceAll('\t', '→');
  return cutTo(
    /secret|token|password|key/i.test(line) ? shown.replace(/([:=]).*$/s, '$1 …') : shown,
    120,
  );
}
