// Turns HTML as it is found in feeds and databases into the text of a post. parse5 repairs it as browsers do; what a browser
// shows as lines becomes lines, and of the markup what a post can have is kept.

import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parseFragment } from 'parse5';
import { addressOf } from '../address.ts';
import { blocks, marks, unseen } from './elements.ts';
import { type Mark, MarkupWriter } from './markup-writer.ts';

export interface HtmlReading {
  /** In HTML if `isMarked`, otherwise plain. */
  readonly text: string;
  readonly isMarked: boolean;
  /** The pictures in the text, in their order, each once. */
  readonly images: readonly string[];
}

export interface HtmlOptions {
  /** What relative addresses are relative to. */
  readonly baseUrl?: string | undefined;
  /** The most UTF-16 units of the text with its markup. */
  readonly maxLength: number;
  /** Without markup: for titles. */
  readonly isPlain?: boolean | undefined;
}

/** Much more than any post holds. What comes after it is not read. */
const longest = 1_000_000;

export function readHtml(html: string, options: HtmlOptions): HtmlReading {
  const { baseUrl, maxLength, isPlain = false } = options;
  const writer = new MarkupWriter(maxLength);
  const images = new Set<string>();
  const tree = treeOf(html.slice(0, longest));
  // Our own stack, because a stranger chooses the depth.
  const steps: Step[] = childrenOf(tree, outside);
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ('leave' in step) {
      if (!isPlain) writer.mark(step.leave.marks);
      leave(writer, step.leave);
      continue;
    }
    const { node, within } = step;
    if (!isPlain) writer.mark(within.marks);
    if (node.nodeName === '#text' && 'value' in node) {
      if (within.isVerbatim) writer.verbatim(shown(node.value));
      else writer.words(shown(node.value));
    } else if ('tagName' in node && !isHidden(node)) {
      if (node.tagName === 'img') note(images, node, writer, baseUrl);
      const inside = enter(writer, node, within, baseUrl);
      steps.push({ leave: inside }, ...childrenOf(node, inside));
    }
  }
  const { text, isMarked } = writer.end();
  return { text: isMarked ? text : unescaped(text), isMarked, images: [...images] };
}

/** Deeper than any page that people write. Beyond, the time that a parser needs grows with the square of the depth. */
const deepest = 256;

class TooDeep extends Error {}

/** The tree of an HTML text. One that is nested too deeply is read without its tags. */
function treeOf(html: string): DefaultTreeAdapterTypes.DocumentFragment {
  let depth = 0;
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    onItemPush() {
      depth += 1;
      if (depth > deepest) throw new TooDeep();
    },
    onItemPop() {
      depth -= 1;
    },
  };
  try {
    return parseFragment(html, { scriptingEnabled: false, treeAdapter });
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return parseFragment(html.replaceAll(/<[^<>]*>/g, ' ').replaceAll('<', '&lt;'));
  }
}

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

type Step = { readonly node: Node; readonly within: Place } | { readonly leave: Place };

/** What is around a node. */
interface Place {
  readonly name: string;
  readonly marks: readonly Mark[];
  readonly isVerbatim: boolean;
  readonly list: List | undefined;
}

interface List {
  readonly depth: number;
  /** The number of the next item; null: items have bullets. */
  next: number | null;
}

const outside: Place = { name: '', marks: [], isVerbatim: false, list: undefined };

/** The last child first, as a stack has them. */
function childrenOf({ childNodes }: { childNodes: Node[] }, within: Place): Step[] {
  return childNodes.map((node) => ({ node, within })).toReversed();
}

function enter(
  writer: MarkupWriter,
  element: Element,
  within: Place,
  baseUrl: string | undefined,
): Place {
  const { tagName: name } = element;
  const lines = blocks.get(name);
  if (name === 'br') {
    if (within.isVerbatim) writer.verbatim('\n');
    else writer.breakLine();
  } else if (name === 'li') {
    writer.startItem(prefixOf(element, within.list));
  } else if (lines !== undefined) {
    writer.breakBlock(lines);
  } else if (name === 'td' || name === 'th') {
    writer.nextCell();
  } else if (name === 'q') {
    writer.words('“');
  }
  return {
    name,
    marks: marksIn(element, within.marks, baseUrl),
    isVerbatim: within.isVerbatim || marks.get(name) === 'pre',
    list: listOf(element, within.list),
  };
}

function leave(writer: MarkupWriter, { name }: Place): void {
  const lines = blocks.get(name);
  if (name === 'li') writer.endItem();
  else if (lines !== undefined) writer.breakBlock(lines);
  else if (name === 'q') writer.words('”');
}

function marksIn(
  element: Element,
  around: readonly Mark[],
  baseUrl: string | undefined,
): readonly Mark[] {
  const mark = markOf(element, baseUrl);
  // Platforms show no markup within code, and no quotation within a quotation.
  const isUseless =
    mark === undefined ||
    around.some(({ tag }) => tag === 'code' || tag === 'pre' || tag === mark.tag);
  return isUseless ? around : [...around, mark];
}

function markOf(element: Element, baseUrl: string | undefined): Mark | undefined {
  if (element.tagName === 'a') {
    const href = addressOf(attribute(element, 'href'), baseUrl);
    return href === undefined ? undefined : { tag: 'a', href };
  }
  const tag = marks.get(element.tagName);
  return tag === undefined ? undefined : { tag };
}

function listOf(element: Element, around: List | undefined): List | undefined {
  const { tagName: name } = element;
  if (name !== 'ol' && name !== 'ul' && name !== 'menu' && name !== 'dir') return around;
  const depth = (around?.depth ?? 0) + 1;
  return { depth, next: name === 'ol' ? numberOf(attribute(element, 'start'), 1) : null };
}

function prefixOf(item: Element, list: List | undefined): string {
  if (list === undefined || list.next === null) return (list?.depth ?? 1) > 1 ? '◦ ' : '• ';
  const number = numberOf(attribute(item, 'value'), list.next);
  list.next = number + 1;
  return `${number}. `;
}

function numberOf(text: string | undefined, otherwise: number): number {
  return /^\s*-?\d{1,9}\s*$/.test(text ?? '') ? Number(text) : otherwise;
}

function isHidden(element: Element): boolean {
  if (unseen.has(element.tagName)) return true;
  if (attribute(element, 'hidden') !== undefined) return true;
  return /(?:^|;)\s*display\s*:\s*none/i.test(attribute(element, 'style') ?? '');
}

function attribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((each) => each.name === name)?.value;
}

/** Where pages keep the address of a picture that they load later. */
const sources = ['src', 'data-src', 'data-lazy-src', 'data-original'];

/** Keeps the address of a picture; one that stands for an emoji is a character. */
function note(
  images: Set<string>,
  image: Element,
  writer: MarkupWriter,
  baseUrl: string | undefined,
): void {
  const alt = attribute(image, 'alt')?.trim() ?? '';
  if (/^\p{Extended_Pictographic}\P{L}{0,11}$/u.test(alt)) return writer.words(alt);
  // Pictures of a few points count readers, and show nothing.
  const isTiny = ['width', 'height'].some((side) =>
    /^\s*[0-3](px)?\s*$/.test(attribute(image, side) ?? ''),
  );
  if (isTiny) return;
  const found = sources
    .map((name) => addressOf(attribute(image, name), baseUrl))
    .find((address) => address !== undefined);
  if (found !== undefined) images.add(found);
}

/** Without the characters that a text cannot have. */
function shown(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

// Only what the writer itself escapes.
function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}
