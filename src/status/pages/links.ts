// The addresses of the page. They keep the workspace and the span of time that somebody looks at.

import { type Html, plain } from '../html.ts';
import type { SpanOfTime } from '../span.ts';

export interface View {
  readonly workspaceId: string;
  readonly span: SpanOfTime;
  /** Whether all channels are listed, however many there are. */
  readonly all: boolean;
}

export interface Links {
  overview(changed?: { readonly span?: string; readonly all?: boolean }): Html;
  live(): Html;
  post(deliveryId: string): Html;
  deliveries(of: {
    readonly status?: string | undefined;
    readonly channelId?: string | undefined;
    readonly before?: string | undefined;
  }): Html;
}

export function linksOf({ workspaceId, span, all }: View): Links {
  const query = (values: Readonly<Record<string, string>>): string => {
    const given = Object.entries({ workspace: workspaceId, ...values }).filter(
      ([, value]) => value !== '',
    );
    return new URLSearchParams(given).toString();
  };
  const shown = (changed: { readonly span?: string; readonly all?: boolean } = {}): string =>
    query({
      span: (changed.span ?? span.key) === '24h' ? '' : (changed.span ?? span.key),
      channels: (changed.all ?? all) ? 'all' : '',
    });
  return {
    overview: (changed) => plain(`/status?${shown(changed)}`),
    live: () => plain(`/status/live?${shown()}`),
    post: (deliveryId) => plain(`/status/posts/${encodeURIComponent(deliveryId)}?${query({})}`),
    deliveries: ({ status = '', channelId: channel = '', before = '' }) =>
      plain(`/status/deliveries?${query({ status, channel, before })}`),
  };
}
