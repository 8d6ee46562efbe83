// What became of a channel's deliveries over time, as small bars: sent, put off and failed upon one another. Each channel has a scale
// of its own.

import type { ChannelHistory } from '../../db/status.ts';
import { type Html, html, plain } from '../html.ts';

const height = 24;
const barWidth = 3;

const layers = ['sent', 'retried', 'failed'] as const;

/** `history` is undefined for a channel in which nothing happened. */
export function sparkline(history: ChannelHistory | undefined, bars: number, words: string): Html {
  const width = bars * barWidth;
  const title = `${sumsInWords(history)} in ${words}`;
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img"><title>${plain(title)}</title><path class="base" d="M0 ${height - 0.5}H${width}"/>${history === undefined ? undefined : pathsOf(history)}</svg>`;
}

function sumsInWords(history: ChannelHistory | undefined): string {
  if (history === undefined) return 'nothing';
  const { sent, retried, failed } = sumsOf(history);
  return `${sent} sent, ${retried} put off, ${failed} failed`;
}

export function sumsOf(history: ChannelHistory): Readonly<Record<(typeof layers)[number], number>> {
  return { sent: sum(history.sent), retried: sum(history.retried), failed: sum(history.failed) };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, each) => all + each, 0);
}

function pathsOf(history: ChannelHistory): Html[] {
  const totals = history.sent.map((_, n) => sum(layers.map((of) => history[of][n] ?? 0)));
  const most = Math.max(1, ...totals);
  const floor = totals.map(() => height);
  return layers.flatMap((layer) => {
    const bars = history[layer].flatMap((count, n) => {
      if (count === 0) return [];
      const bottom = floor[n] ?? height;
      // What happened once among thousands is still to be seen.
      const tall = Math.max(2, Math.round((count / most) * (height - 4)));
      floor[n] = bottom - tall;
      return [`M${n * barWidth + 1} ${bottom}v-${tall}`];
    });
    return bars.length === 0 ? [] : [html`<path class="${layer}" d="${plain(bars.join(''))}"/>`];
  });
}
