// The markup that the posts of preflight-corpus.ts are written in.

import type { Format } from './preflight.ts';

/** Markup around a text, and what readers see besides the text. */
export interface Wrap {
  readonly format?: Format;
  readonly open: string;
  readonly close: string;
  /** What a platform without markup shows behind the text. */
  readonly flat?: string;
}

const telegramWraps: readonly Wrap[] = [
  { open: '', close: '' },
  { format: 'HTML', open: '', close: '' },
  { format: 'HTML', open: '<b>', close: '</b>' },
  { format: 'HTML', open: '<b><i><u><s>', close: '</s></u></i></b>' },
  {
    format: 'HTML',
    open: '<a href="https://a.b/?x=1&amp;y=2">',
    close: '</a>',
    flat: ' (https://a.b/?x=1&y=2)',
  },
  { format: 'HTML', open: '<blockquote expandable>', close: '</blockquote>' },
  { format: 'HTML', open: '<pre><code class="language-sql">', close: '</code></pre>' },
  { format: 'HTML', open: '<tg-spoiler>', close: '</tg-spoiler>' },
  { format: 'Markdown', open: '', close: '' },
  { format: 'Markdown', open: '*', close: '*' },
  { format: 'Markdown', open: '*_', close: '_*' },
  { format: 'Markdown', open: '[', close: '](https://a.b/c)', flat: ' (https://a.b/c)' },
  { format: 'Markdown', open: '||', close: '||' },
  { format: 'Markdown', open: '`', close: '`' },
];

const maxWraps: readonly Wrap[] = [
  { open: '', close: '' },
  { format: 'HTML', open: '', close: '' },
  { format: 'HTML', open: '<b>', close: '</b>' },
  { format: 'HTML', open: '<i><u>', close: '</u></i>' },
  { format: 'HTML', open: '<p>', close: '</p>' },
  { format: 'HTML', open: '<a href="https://a.b/c">', close: '</a>' },
  { format: 'Markdown', open: '', close: '' },
  { format: 'Markdown', open: '**', close: '**' },
  { format: 'Markdown', open: '++', close: '++' },
  { format: 'Markdown', open: '[', close: '](https://a.b/c)' },
];

// VK reads no markup. It gets what Telegram's readers would see, with the addresses of links written out.
const vkWraps = telegramWraps.filter((wrap) => wrap.open.length < 4 || wrap.flat !== undefined);
export const wraps = { telegram: telegramWraps, max: maxWraps, vk: vkWraps } as const;
