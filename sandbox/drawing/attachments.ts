// The attachments of a message: photos and videos together as an album, other files each in a line.

import type { DrawnAttachment } from './drawn-chat.ts';
import { escapeHtml, safeHref } from './escape.ts';
import { drawPicture } from './picture.ts';

const pictured = new Set(['photo', 'image', 'video', 'animation']);
const moving = new Set(['video', 'animation']);
const heard = new Set(['audio', 'voice']);

export function drawAttachments(attachments: readonly DrawnAttachment[]): string {
  const pictures = attachments.filter(({ kind }) => pictured.has(kind));
  const others = attachments.filter(({ kind }) => !pictured.has(kind));
  return drawAlbum(pictures) + drawFiles(others);
}

function drawAlbum(pictures: readonly DrawnAttachment[]): string {
  if (pictures.length === 0) return '';
  const spans = spansOf(pictures.length);
  const cells = pictures.map((each, index) => {
    const place = `${each.kind} ${pictures.length > 1 ? `${index + 1} of ${pictures.length}` : ''}`;
    const words = `${place.trim()}: ${each.label}`;
    const picture = drawPicture(each.seed ?? each.label, words);
    const play = moving.has(each.kind)
      ? '<span class="play" aria-hidden="true"><svg viewBox="0 0 24 24"><path d="M8 5v14l11-7z"/></svg></span>'
      : '';
    const tag = moving.has(each.kind)
      ? `<span class="medium-kind">${escapeHtml(each.kind)}</span>`
      : '';
    return `<li class="span-${spans[index]}" data-kind="${escapeHtml(each.kind)}">${linked(each, picture + play + tag)}</li>`;
  });
  return `<ul class="album" data-count="${pictures.length}">${cells.join('')}</ul>`;
}

function linked({ url }: DrawnAttachment, inner: string): string {
  const href = url === undefined ? undefined : safeHref(url);
  if (href === undefined) return inner;
  return `<a href="${href}" rel="noreferrer noopener" target="_blank">${inner}</a>`;
}

/** How many sixths of the width each picture takes: rows of three, and of two or one at the top where three do not fit. */
export function spansOf(count: number): number[] {
  const first: Readonly<Record<number, readonly number[]>> = {
    0: count === 3 ? [1, 2] : [],
    1: count <= 4 ? [1] : [2, 2],
    2: [2],
  };
  const top = first[count % 3] ?? [];
  const placed = top.reduce((sum, row) => sum + row, 0);
  const rows = [...top, ...Array.from({ length: (count - placed) / 3 }, () => 3)];
  return rows.flatMap((row) => Array.from({ length: row }, () => 6 / row));
}

const icons = {
  file: '<path d="M7 3h7l4 4v14H7z"/><path class="fold" d="M14 3v4h4"/>',
  sound:
    '<path d="M5 10v4M9 7v10M13 4v16M17 8v8M21 11v2" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>',
  link: '<path d="M10 14l4-4M8.5 11.5l-2 2a3.5 3.5 0 005 5l2-2M15.5 12.5l2-2a3.5 3.5 0 00-5-5l-2 2" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>',
};

function drawFiles(files: readonly DrawnAttachment[]): string {
  if (files.length === 0) return '';
  const lines = files.map((each) => {
    const { kind, label, size } = each;
    const icon = heard.has(kind)
      ? icons.sound
      : /^(link|share)$/.test(kind)
        ? icons.link
        : icons.file;
    const facts = [kind, ...(size === undefined ? [] : [sizeInWords(size)])].join(', ');
    const words = `<span class="file-words"><bdi class="file-name">${escapeHtml(label || kind)}</bdi><span class="file-facts">${escapeHtml(facts)}</span></span>`;
    const badge = `<span class="file-icon" aria-hidden="true"><svg viewBox="0 0 24 24">${icon}</svg></span>`;
    return `<li data-kind="${escapeHtml(kind)}">${linked(each, badge + words)}</li>`;
  });
  return `<ul class="files">${lines.join('')}</ul>`;
}

function sizeInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000
    ? `${Math.round(bytes / 1000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
