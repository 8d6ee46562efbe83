// What a search has found.

import type { FoundPost, PostExplanation } from '../../db/explain.ts';
import { type Html, html } from '../html.ts';
import { several, statusBadge, when, withCode } from '../words.ts';
import { type HeaderOptions, header } from './header.ts';
import { layout } from './layout.ts';
import type { Links } from './links.ts';
import { firstWords } from './post.ts';

export interface Found {
  readonly search: string;
  readonly posts: readonly FoundPost[];
  /** Why nothing of it is there, where nothing was found. */
  readonly explanations: readonly PostExplanation[];
  /** Why nothing could be looked for. */
  readonly refused: string | undefined;
  /** The most that is found. */
  readonly limit: number;
  readonly now: Date;
}

export function foundPage(found: Found, links: Links, options: HeaderOptions): string {
  const { search, posts, refused } = found;
  const title = search === '' ? 'Find a post' : `Posts that match “${search}”`;
  return layout(
    { title: `${title}: status`, header: header({ ...options, search }) },
    html`<p class="back"><a href="${links.overview()}">‹ Status</a></p><h1>${title}</h1>
${refused === undefined ? undefined : html`<p class="trouble" role="alert">${refused}</p>`}
${posts.length === 0 ? nothing(found) : table(found, links)}`,
  );
}

function nothing({ search, explanations, refused }: Found): Html {
  if (refused !== undefined) return html``;
  if (search === '') {
    return html`<p class="empty">Write words of the post, the reference that its sender gave it, or an id, in the field above.</p>`;
  }
  if (explanations.length === 0) return html`<p class="empty">No post matches.</p>`;
  return html`<section class="card why-card" aria-labelledby="why-words"><h2 id="why-words">Nothing was found. Why?</h2>${explanations.map(
    ({ because, advice }) =>
      html`<p>${withCode(because)}</p>${advice === '' ? undefined : html`<p class="advice">${withCode(advice)}</p>`}`,
  )}</section>`;
}

function table({ posts, limit, now }: Found, links: Links): Html {
  const rows = posts.map(
    ({ deliveryId, channelId, status, sourceRef, excerpt, createdAt }) =>
      html`<tr role="row"><th role="rowheader" scope="row">${deliveryId === null ? html`${firstWords(excerpt)}` : html`<a href="${links.post(deliveryId)}">${firstWords(excerpt)}</a>`}${sourceRef === null ? undefined : html` <small>${sourceRef}</small>`}</th><td role="cell" class="channel">${channelId === null ? undefined : html`${channelId}`}</td><td role="cell">${status === null ? undefined : statusBadge(status)}</td><td role="cell">${when(createdAt, now)}</td></tr>`,
  );
  const more =
    posts.length < limit
      ? undefined
      : html`<p class="more">There may be more: add words to narrow the search.</p>`;
  return html`<section class="card"><table class="found" role="table"><caption>${several(posts.length, 'delivery', 'deliveries')}, those that fit best first</caption><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Post</th><th role="columnheader" scope="col">Channel</th><th role="columnheader" scope="col">Status</th><th role="columnheader" scope="col">Accepted</th></tr></thead><tbody role="rowgroup">${rows}</tbody></table>${more}</section>`;
}
