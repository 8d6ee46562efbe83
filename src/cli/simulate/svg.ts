// A simulation as a drawing: the queue's depth and what is out, over time; dashed with the changes.

import type { Point } from '../../simulate/summary.ts';

interface Run {
  readonly name: string;
  readonly summary: { readonly beganAt: number; readonly series: readonly Point[] };
}

const size = { width: 960, height: 540, left: 80, right: 24, top: 56, gap: 56, bottom: 40 };
const plotWidth = size.width - size.left - size.right;
const plotHeight = (size.height - size.top - size.gap - size.bottom) / 2;

export function drawn(title: string, runs: readonly Run[]): string {
  const from = Math.min(...runs.map(({ summary }) => summary.beganAt));
  const to = Math.max(from + 1, ...runs.map(({ summary }) => summary.series.at(-1)?.at ?? from));
  const upper = { top: size.top, words: 'waiting', valueOf: (point: Point) => point.waiting };
  const lower = {
    top: size.top + plotHeight + size.gap,
    words: 'out',
    valueOf: (point: Point) => point.sent,
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${size.width}" height="${size.height}"/>`,
    `<text class="title" x="${size.left}" y="26">${escaped(title)}</text>`,
    ...runs.map(({ name }, n) => legend(name, n)),
    ...[upper, lower].flatMap((panel) => panelOf(panel, runs, from, to)),
    '</svg>',
    '',
  ].join('\n');
}

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2933 }
  .title { font-size: 16px; font-weight: 600 }
  .ground { fill: #ffffff }
  .axis { stroke: #9aa5b1; stroke-width: 1; fill: none }
  .line { fill: none; stroke-width: 2; stroke: #0967d2 }
  .line.changed { stroke: #c2410c; stroke-dasharray: 6 4 }
  .end { text-anchor: end }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #16191d } text { fill: #e4e7eb } .line { stroke: #63a4ff } .line.changed { stroke: #fb923c }
  }`;

interface Panel {
  readonly top: number;
  readonly words: string;
  readonly valueOf: (point: Point) => number;
}

function panelOf({ top, words, valueOf }: Panel, runs: readonly Run[], from: number, to: number) {
  const most = Math.max(1, ...runs.flatMap(({ summary }) => summary.series.map(valueOf)));
  const x = (at: number): string =>
    (size.left + ((at - from) / (to - from)) * plotWidth).toFixed(1);
  const y = (value: number): string => (top + plotHeight * (1 - value / most)).toFixed(1);
  const floor = top + plotHeight;
  const [left, right] = [size.left, size.left + plotWidth];
  return [
    `<path class="axis" d="M${left} ${top}V${floor}H${right}"/>`,
    `<text class="end" x="${left - 8}" y="${top + 10}">${most.toLocaleString('en-US')}</text>`,
    `<text class="end" x="${left - 8}" y="${floor}">0</text>`,
    `<text x="${left + 8}" y="${top - 6}">${words}</text>`,
    `<text x="${left}" y="${floor + 18}">${timeInWords(from)}</text>`,
    `<text class="end" x="${right}" y="${floor + 18}">${timeInWords(to)}</text>`,
    ...runs.map(({ summary }, n) => {
      const points = summary.series.map((point) => `${x(point.at)},${y(valueOf(point))}`);
      return `<polyline class="${classOf(n)}" points="${points.join(' ')}"/>`;
    }),
  ];
}

function legend(name: string, n: number): string {
  const left = size.width - size.right - 360 + n * 180;
  return `<path class="${classOf(n)}" d="M${left} 22h28"/><text x="${left + 36}" y="26">${escaped(name)}</text>`;
}

function classOf(n: number): string {
  return n === 0 ? 'line' : 'line changed';
}

function timeInWords(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  return text.replaceAll(/[&<>"]/g, (sign) => `&${names[sign]};`);
}
