// Markup that is safe to send. Whatever a template takes in is masked and escaped, unless it says otherwise: the page shows texts of
// people, and one place that forgets to mask them would show a phone number to everybody who may look.

import { maskText } from '../masking.ts';

/** Markup that is finished: nothing in it is escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The headers of a page. */
export const htmlType = { 'content-type': 'text/html; charset=utf-8' } as const;

/** What a template takes; null and undefined leave nothing. */
export type Shown = string | number | Html | readonly Html[] | null | undefined;

/** Markup with values in it: html`<p>${words}</p>`. */
export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Html {
  const pieces = parts.map((part, n) => part + inMarkup(values[n]));
  return new Html(pieces.join(''));
}

/** An id, an address or a time of ours: escaped and not masked, since some ids look like phone numbers. */
export function plain(text: string): Html {
  return new Html(escaped(text));
}

function inMarkup(value: Shown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escaped(maskText(readable(value)));
  return value.map((each) => each.text).join('');
}

/** Without characters that turn the direction of writing, or that no page can show. */
function readable(text: string): string {
  return text
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(control, ' ');
}

// oxlint-disable-next-line no-control-regex -- these are what it is about; tab and line ends stay
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
