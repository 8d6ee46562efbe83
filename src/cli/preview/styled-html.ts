// The safe HTML of a message on a terminal: bold is bold, links have their address after them.

import { styleText } from 'node:util';
import type { Terminal } from '../command.ts';
import { lines } from '../screen/shown-text.ts';

type Style = 'bold' | 'italic' | 'underline' | 'strikethrough' | 'cyan' | 'inverse' | 'dim';

const styles: Readonly<Record<string, Style>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  s: 'strikethrough',
  code: 'cyan',
  pre: 'cyan',
  a: 'underline',
  mark: 'inverse',
  span: 'inverse', // a spoiler
  blockquote: 'dim',
  q: 'dim',
};

const token = /<(\/?)([a-z]+)([^>]*)>|[^<]+/g;

/** The lines of a message. Elsewhere than on a terminal they have no styles. */
export function styledLines(terminal: Pick<Terminal, 'isTty'>, html: string): string[] {
  const open: { readonly tag: string; readonly href: string; words: string }[] = [];
  const written = [''];
  const write = (text: string): void => {
    const wanted = [...new Set(open.flatMap(({ tag }) => styles[tag] ?? []))];
    for (const [n, line] of lines(text).entries()) {
      if (n > 0) written.push('');
      const shown =
        line === '' || !terminal.isTty || wanted.length === 0 ? line : styleText(wanted, line);
      written.push(`${written.pop() ?? ''}${shown}`);
    }
    for (const each of open) each.words += text;
  };
  for (const [whole, slash, tag = '', rest = ''] of html.matchAll(token)) {
    if (slash === undefined) write(decoded(whole));
    else if (slash === '') open.push({ tag, href: hrefIn(rest), words: '' });
    else {
      const closed = open.pop();
      if (closed !== undefined && closed.href !== '' && !saysAddress(closed)) {
        write(` (${closed.href})`);
      }
    }
  }
  return written;
}

function hrefIn(attributes: string): string {
  return decoded(/\bhref="([^"]*)"/.exec(attributes)?.[1] ?? '');
}

/** Whether the words of a link are its address. */
function saysAddress({ href, words }: { readonly href: string; readonly words: string }): boolean {
  return bare(href) === bare(words);
}

function bare(address: string): string {
  return address.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|([a-z]+));/g, (whole, code?: string, name?: string) =>
    code === undefined ? (named[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  );
}
