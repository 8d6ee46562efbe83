// Deliveries, the newest first: all, or those of a state and of a channel. The counts of the page lead here.

import {
  type DeliveryStatus,
  deliveryStatuses,
  type ListedDelivery,
} from '../../db/delivery-rows.ts';
import { type Html, html, plain } from '../html.ts';
import { soonest, statusBadge, statusInWords, when } from '../words.ts';
import { type HeaderOptions, header } from './header.ts';
import { layout } from './layout.ts';
import type { Links } from './links.ts';
import { firstWords } from './post.ts';

export interface ListAsked {
  readonly status: DeliveryStatus | undefined;
  readonly channelId: string | undefined;
  /** The last delivery of the page before. */
  readonly before: string | undefined;
}

export interface Listed {
  readonly asked: ListAsked;
  readonly deliveries: readonly ListedDelivery[];
  /** The beginnings of their posts, by message. */
  readonly excerpts: ReadonlyMap<string, string>;
  readonly limit: number;
  readonly now: Date;
}

export function deliveriesPage(
  listed: Listed,
  links: Links,
  options: HeaderOptions & { readonly workspaceId: string },
): string {
  const { status, channelId } = listed.asked;
  const title = `Deliveries${status === undefined ? '' : `: ${statusInWords(status)}`}`;
  return layout(
    { title: `${title}: status`, header: header(options) },
    html`<p class="back"><a href="${links.overview()}">‹ Status</a></p><h1>${title}${channelId === undefined ? undefined : html` in ${channelId}`}</h1>
${form(listed.asked, options.workspaceId)}
${listed.deliveries.length === 0 ? html`<p class="empty">There is none.</p>` : table(listed, links)}`,
  );
}

function form({ status, channelId }: ListAsked, workspaceId: string): Html {
  const choices = deliveryStatuses.map(
    (each) =>
      html`<option value="${each}"${each === status ? html` selected` : undefined}>${statusInWords(each)}</option>`,
  );
  return html`<form class="choice" action="/status/deliveries"><input type="hidden" name="workspace" value="${plain(workspaceId)}"><label for="status">State</label><select id="status" name="status"><option value="">all</option>${choices}</select><label for="channel">Channel</label><input id="channel" name="channel" maxlength="200" placeholder="all; tg-* for several" value="${plain(channelId ?? '')}"><button>Show</button></form>`;
}

function table({ asked, deliveries, excerpts, limit, now }: Listed, links: Links): Html {
  const rows = deliveries.map((each) => {
    const words = firstWords(excerpts.get(each.messageId) ?? '');
    return html`<tr role="row"><th role="rowheader" scope="row"><a href="${links.post(each.deliveryId)}">${words}</a></th><td role="cell" class="channel">${each.channelId}</td><td role="cell">${statusBadge(each.status)}</td><td role="cell">${timeOf(each, now)}</td><td role="cell" class="because-cell">${whyOf(each)}</td></tr>`;
  });
  const last = deliveries.at(-1);
  const more =
    last === undefined || deliveries.length < limit
      ? undefined
      : html`<p class="more"><a href="${links.deliveries({ ...asked, before: last.deliveryId })}">Older ones ›</a></p>`;
  return html`<section class="card"><table class="found" role="table"><caption>The newest first</caption><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Post</th><th role="columnheader" scope="col">Channel</th><th role="columnheader" scope="col">State</th><th role="columnheader" scope="col">When</th><th role="columnheader" scope="col">Why</th></tr></thead><tbody role="rowgroup">${rows}</tbody></table>${more}</section>`;
}

/** When it was sent or failed; else when it is tried, or was accepted if nobody knows when. */
function timeOf({ sentAt, failedAt, nextAt, createdAt }: ListedDelivery, now: Date): Html {
  const done = sentAt ?? failedAt;
  if (done !== null) return when(done, now);
  return nextAt === null ? html`accepted ${when(createdAt, now)}` : soonest(nextAt, now);
}

/** What keeps it waiting, or its last error, which nobody needs once it was sent. */
function whyOf({ status, nextBecause, nextReason, errorCode, errorMessage }: ListedDelivery): Html {
  const waits = nextBecause?.replaceAll('_', ' ');
  const error = status === 'sent' ? null : (errorMessage ?? errorCode);
  return html`${[waits, nextReason ?? error].filter(Boolean).join(': ')}`;
}
