// The buttons below a message, in their rows.

import type { DrawnButton, DrawnMessage } from './drawn-chat.ts';
import { escapeHtml, safeHref } from './escape.ts';

/** Those that tell the bot something are submitted with the form that has the id, as `message/row/column`. */
export function drawButtons({ id, buttons }: DrawnMessage, pressForm: string | undefined): string {
  if (buttons.length === 0) return '';
  const rows = buttons.map((row, at) => {
    const cells = row.map((each, column) => drawButton(each, `${id}/${at}/${column}`, pressForm));
    return `<div class="button-row">${cells.join('')}</div>`;
  });
  return `<div class="buttons" role="group" aria-label="Buttons of this message">${rows.join('')}</div>`;
}

function drawButton({ text, kind, url }: DrawnButton, place: string, form?: string): string {
  const words = `<bdi>${escapeHtml(text)}</bdi>`;
  const data = `data-button="${escapeHtml(text)}" data-kind="${escapeHtml(kind)}"`;
  const href = url === undefined ? undefined : safeHref(url);
  if (href !== undefined) {
    const arrow = '<span class="arrow" aria-hidden="true">↗</span>';
    return `<a class="button" ${data} href="${href}" rel="noreferrer noopener" target="_blank">${words}${arrow}</a>`;
  }
  if (form === undefined || kind !== 'callback')
    return `<span class="button" ${data}>${words}</span>`;
  return `<button class="button" ${data} form="${escapeHtml(form)}" name="press" value="${escapeHtml(place)}">${words}</button>`;
}
