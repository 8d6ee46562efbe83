// When a message came, in the time zone of the machine, which is the reader's own.

import { escapeHtml } from './escape.ts';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const whole = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long' });

export function drawTime(time: string): string {
  const moment = Date.parse(time);
  if (Number.isNaN(moment)) return `<span class="time">${escapeHtml(time)}</span>`;
  const exact = escapeHtml(whole.format(moment));
  return `<time class="time" datetime="${escapeHtml(time)}" title="${exact}">${clock.format(moment)}</time>`;
}
