// The page itself: what is wrong first, then the queue, then the channels and what stands beside them.

import { createHash } from 'node:crypto';
import { Html, html } from '../html.ts';
import type { Reading } from '../reading.ts';
import { type Section, textOf } from '../section.ts';
import { besideSections } from './beside.ts';
import { channelsSection } from './channels.ts';
import { asOf, type HeaderOptions, header } from './header.ts';
import { layout } from './layout.ts';
import { linksOf, type View } from './links.ts';
import { queueSection } from './queue.ts';
import { type Trouble, verdictSection } from './verdict.ts';

/** A reading, and why it is not the newest. */
export interface Seen {
  readonly reading: Reading;
  readonly trouble: Trouble | undefined;
}

/** All that is kept up to date, in the order of the page. */
export function sectionsOf({ reading, trouble }: Seen, view: View): Section[] {
  const links = linksOf(view);
  return [
    verdictSection(reading, trouble),
    queueSection(reading, links),
    channelsSection(reading, view, links),
    ...besideSections(reading, links),
    asOf(reading.now),
  ];
}

/** Tells two states of the page apart. */
export function versionOf(sections: readonly Section[]): string {
  const hash = createHash('sha256');
  for (const each of sections) hash.update(textOf(each));
  return hash.digest('base64url').slice(0, 16);
}

export function overviewPage(
  { reading, sections }: { readonly reading: Reading; readonly sections: readonly Section[] },
  view: View,
  options: Omit<HeaderOptions, 'now'>,
): string {
  const shown = sections.filter(({ id }) => id !== 'as-of');
  const [main, beside] = [shown.filter((each) => !isBeside(each)), shown.filter(isBeside)];
  const title = `${reading.workspace.name}: status`;
  return layout(
    {
      title,
      header: header({ ...options, now: reading.now }),
      live: { url: linksOf(view).live(), version: versionOf(sections) },
    },
    html`<h1 class="unseen">${title}</h1><div class="columns"><div class="wide">${finished(main)}</div><div class="narrow">${finished(beside)}</div></div>`,
  );
}

function isBeside({ id }: Section): boolean {
  return !['verdict', 'queue', 'channels'].includes(id);
}

function finished(sections: readonly Section[]): Html {
  return new Html(sections.map(textOf).join('\n'));
}
