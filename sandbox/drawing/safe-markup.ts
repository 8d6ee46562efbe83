// The markup of a message, read as a browser reads it and written anew: only the tags of a message, closed where they
// were opened, and text.

import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parseFragment } from 'parse5';
import { escapeHtml, safeHref } from './escape.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const plainTags = new Set([
  'b',
  'strong',
  'i',
  'em',
  'u',
  's',
  'code',
  'pre',
  'blockquote',
  'q',
  'mark',
  'br',
]);

export function safeMarkup(html: string): string {
  let written = '';
  walk(html, {
    text: (text) => {
      written += escapeHtml(text);
    },
    tag: (tag) => {
      written += tag;
    },
  });
  return written;
}

/** The words without the markup. */
export function wordsOf(html: string): string {
  let words = '';
  walk(html, {
    text: (text) => {
      words += text;
    },
    tag: () => undefined,
  });
  return words;
}

interface Writer {
  text(text: string): void;
  tag(tag: string): void;
}

/** Not by recursion: a stranger decides how deep it nests. */
function walk(html: string, writer: Writer): void {
  const left: (Node | string)[] = [];
  const push = (nodes: readonly Node[]) => {
    for (const node of nodes.toReversed()) left.push(node);
  };
  push(parseFragment(html).childNodes);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') writer.tag(next);
    else if (defaultTreeAdapter.isTextNode(next)) writer.text(next.value);
    else if (defaultTreeAdapter.isElementNode(next)) {
      const tags = tagsOf(next);
      if (tags !== undefined) {
        writer.tag(tags[0]);
        left.push(tags[1]);
      }
      push(next.childNodes);
    }
  }
}

function tagsOf(element: Element): readonly [string, string] | undefined {
  const { tagName } = element;
  if (tagName === 'br') return ['<br>', ''];
  if (plainTags.has(tagName)) return [`<${tagName}>`, `</${tagName}>`];
  if (tagName === 'span' && attribute(element, 'class') === 'spoiler') {
    return ['<span class="spoiler" tabindex="0">', '</span>'];
  }
  const href = tagName === 'a' ? safeHref(attribute(element, 'href')) : undefined;
  if (href === undefined) return undefined;
  return [`<a href="${href}" rel="noreferrer noopener" target="_blank">`, '</a>'];
}

function attribute({ attrs }: Element, name: string): string {
  return attrs.find((each) => each.name === name)?.value ?? '';
}
