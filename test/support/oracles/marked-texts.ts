// Random texts in Telegram's markup whose reading is known: each is written from a tree of words, styles and links.

import fc from 'fast-check';
import { linkSuffix, type Reading } from './markup-reading.ts';
import type { TelegramDialect } from './telegram-markup.ts';

type Style = 'bold' | 'struck' | 'hidden';

type Node =
  | { readonly words: string }
  | { readonly style: Style; readonly inside: readonly Node[] }
  | { readonly address: string; readonly inside: readonly Node[] };

export interface MarkedText {
  readonly source: string;
  readonly reading: Reading;
}

interface Writer {
  readonly escape: (words: string) => string;
  readonly marks: Readonly<Record<Style, readonly [open: string, close: string]>>;
  readonly link: (address: string) => readonly [open: string, close: string];
}

const writers: Readonly<Record<TelegramDialect, Writer>> = {
  telegram_html: {
    escape: inHtml,
    marks: {
      bold: ['<b>', '</b>'],
      struck: ['<s>', '</s>'],
      hidden: ['<tg-spoiler>', '</tg-spoiler>'],
    },
    link: (address) => [`<a href="${inHtml(address)}">`, '</a>'],
  },
  telegram_markdown: {
    escape: (words) => words.replaceAll(/[_*[\]()~`>#+\-=|{}.!\\]/g, String.raw`\$&`),
    marks: { bold: ['*', '*'], struck: ['~', '~'], hidden: ['||', '||'] },
    link: (address) => ['[', `](${address})`],
  },
};

function inHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const { nodes } = fc.letrec<{ nodes: Node[]; node: Node }>((tie) => ({
  nodes: fc.array(tie('node'), { maxLength: 4 }),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ words: fc.constantFrom('a', ' ', '\n', 'ж', '🏟', 'x.y', '<b> & "c"', '[*_~|].') }),
    fc.record({
      style: fc.constantFrom<Style[]>('bold', 'struck', 'hidden'),
      inside: tie('nodes'),
    }),
    fc.record({
      address: fc.constantFrom('https://x.y/z?a=1&b=2', 'https://x.y', 'p', 'tg://user?id=1', ''),
      inside: tie('nodes'),
    }),
  ),
}));

export function markedText(dialect: TelegramDialect): fc.Arbitrary<MarkedText> {
  return nodes.map((tree) => written(tree, writers[dialect]));
}

function written(tree: readonly Node[], { escape, marks, link }: Writer): MarkedText {
  let [source, visible, flat] = ['', '', ''];
  const entitiesBegin: number[] = [];

  function write(inside: readonly Node[], open: readonly Style[]): void {
    for (const node of inside) {
      if ('words' in node) {
        source += escape(node.words);
        visible += node.words;
        flat += node.words;
      } else if ('style' in node && open.includes(node.style)) {
        // In Markdown the mark would close the style.
        write(node.inside, open);
      } else {
        const [begin, end] = 'style' in node ? marks[node.style] : link(node.address);
        const from = visible.length;
        source += begin;
        write(node.inside, 'style' in node ? [...open, node.style] : open);
        source += end;
        if (visible.length === from) continue;
        entitiesBegin.push(from);
        if ('address' in node) flat += linkSuffix(visible.slice(from), node.address);
      }
    }
  }

  write(tree, []);
  const firstEntity =
    entitiesBegin.length === 0
      ? undefined
      : Buffer.byteLength(visible.slice(0, Math.min(...entitiesBegin)));
  return { source, reading: { visible, flat, fault: null, firstEntity } };
}
