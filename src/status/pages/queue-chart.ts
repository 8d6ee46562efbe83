// How full the queue was, as layers by status over time. The last point is now. Where nothing was sampled there is a gap.

import type { QueueSample } from '../../db/status.ts';
import { type Html, html, plain } from '../html.ts';
import type { Reading } from '../reading.ts';
import { counted, when } from '../words.ts';

const width = 720;
const height = 180;
const room = { left: 1, right: 1, top: 2, bottom: 28 };

const layers = ['sending', 'due', 'claimed', 'retrying', 'scheduled'] as const;
type Layer = (typeof layers)[number];

const layerWords: Readonly<Record<Layer, string>> = {
  sending: 'being sent',
  due: 'due',
  claimed: 'with a slot',
  retrying: 'to be retried',
  scheduled: 'scheduled',
};

export function queueChart(reading: Reading): Html {
  const samples = [...reading.queue, nowOf(reading)];
  const most = Math.max(...samples.map(totalOf));
  const top = niceTop(most);
  const words = `The queue over the last ${reading.span.words}: ${most} deliveries at most, ${totalOf(nowOf(reading))} now.`;
  return html`<figure>
<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="chart-title chart-words">
<title id="chart-title">Queue by status</title><desc id="chart-words">${words} The numbers are in the table below.</desc>
${gridOf(top)}
${runsOf(samples, reading.span.ms).flatMap((run) => areasOf(run, scaleOf(reading, top)))}
${timesOf(reading)}
</svg>
<figcaption><details id="queue-numbers"><summary>The same as a table</summary>${tableOf(samples, reading.now)}</details></figcaption>
</figure>`;
}

/** What is known now is newer than every sample. */
function nowOf({ workspace, now }: Reading): QueueSample {
  const { due, scheduled, retrying, claimed } = workspace.waiting;
  return { at: now, due, scheduled, retrying, claimed, sending: workspace.sending.open };
}

function totalOf(sample: QueueSample): number {
  return layers.reduce((sum, layer) => sum + sample[layer], 0);
}

/** The end of the scale: one digit with zeros, and at least 6. */
function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  const factor = [1, 2, 4, 6, 8, 10].find((each) => each * power >= most) ?? 10;
  return Math.max(6, factor * power);
}

interface Scale {
  readonly x: (at: Date) => number;
  readonly y: (count: number) => number;
}

function scaleOf({ now, span }: Reading, top: number): Scale {
  const right = width - room.right;
  return {
    x(at) {
      const share = (now.getTime() - at.getTime()) / span.ms;
      return right - Math.min(1, Math.max(0, share)) * (right - room.left);
    },
    y: (count) => yOf(count, top),
  };
}

function yOf(count: number, top: number): number {
  return height - room.bottom - (Math.min(count, top) / top) * (height - room.bottom - room.top);
}

/** Samples without a gap between them. A gap is wider than three steps. */
function runsOf(samples: readonly QueueSample[], spanMs: number): (readonly QueueSample[])[] {
  const gapMs = Math.max(15 * 60_000, (spanMs / 96) * 3);
  const runs: QueueSample[][] = [];
  for (const sample of samples) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const isNear = last !== undefined && sample.at.getTime() - last.at.getTime() <= gapMs;
    if (run !== undefined && isNear) run.push(sample);
    else runs.push([sample]);
  }
  return runs;
}

/** One area for each layer that is there, each upon the ones before it. */
function areasOf(run: readonly QueueSample[], scale: Scale): Html[] {
  const [only] = run;
  // A single sample would have no width.
  const points = run.length === 1 && only !== undefined ? [earlier(only), only] : run;
  const base = points.map(() => 0);
  return layers.flatMap((layer) => {
    if (points.every((point) => point[layer] === 0)) return [];
    const floor = [...base];
    points.forEach((point, n) => (base[n] = (base[n] ?? 0) + point[layer]));
    const upper = points.map((point, n) => place(scale.x(point.at), scale.y(base[n] ?? 0)));
    const lower = points.map((point, n) => place(scale.x(point.at), scale.y(floor[n] ?? 0)));
    const path = `M${[...upper, ...lower.toReversed()].join('L')}Z`;
    return [html`<path class="layer ${layer}" d="${plain(path)}"/>`];
  });
}

function earlier(sample: QueueSample): QueueSample {
  return { ...sample, at: new Date(sample.at.getTime() - 60_000) };
}

function place(x: number, y: number): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

function gridOf(top: number): Html[] {
  return [0, top / 2, top].map((value) => {
    const y = yOf(value, top).toFixed(1);
    return html`<line class="grid" x1="${room.left}" x2="${width - room.right}" y1="${plain(y)}" y2="${plain(y)}"/>${value === 0 ? undefined : html`<text class="tick" x="${room.left}" y="${plain(y)}" dy="1.2em">${plain(shortCount(value))}</text>`}`;
  });
}

function shortCount(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1000}k` : String(value);
}

function timesOf({ span }: Reading): Html[] {
  const y = height - 6;
  const middle = (room.left + width - room.right) / 2;
  return [
    html`<text class="tick" x="${room.left}" y="${y}">${plain(span.words)} ago</text>`,
    html`<text class="tick" x="${middle}" y="${y}" text-anchor="middle">${plain(halfOf[span.key])} ago</text>`,
    html`<text class="tick" x="${width - room.right}" y="${y}" text-anchor="end">now</text>`,
  ];
}

const halfOf = { '3h': '90 min', '24h': '12 hours', '7d': '3½ days' } as const;

/** For those who cannot see the chart: a dozen moments. */
function tableOf(samples: readonly QueueSample[], now: Date): Html {
  const step = Math.max(1, Math.ceil(samples.length / 12));
  const chosen = samples.toReversed().filter((_, n) => n % step === 0);
  const rows = chosen.map(
    (sample) =>
      html`<tr><th scope="row">${when(sample.at, now)}</th>${layers.map((layer) => html`<td>${counted(sample[layer])}</td>`)}</tr>`,
  );
  return html`<table class="numbers"><thead><tr><th scope="col">When</th>${layers.map((layer) => html`<th scope="col">${layerWords[layer]}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}
