// Plots in a terminal: columns of block characters, with the scale at the left and the times below.

export interface PlotOptions {
  readonly title: string;
  /** Of equally distant moments. */
  readonly values: readonly number[];
  /** All characters of a line. */
  readonly width: number;
  /** Lines of the columns. */
  readonly height: number;
  /** Below the first and the last column. */
  readonly from: string;
  readonly to: string;
}

const blocks = ' ▁▂▃▄▅▆▇█';

export function plotted({ title, values, width, height, from, to }: PlotOptions): string[] {
  const most = Math.max(1, ...values);
  const scale = [most.toLocaleString('en-US'), '0'];
  const margin = Math.max(...scale.map((each) => each.length));
  const columns = resampled(values, Math.max(10, width - margin - 2));
  const rows = Array.from({ length: height }, (_, n) => {
    const label = n === 0 ? scale[0] : '';
    const floor = height - 1 - n;
    const cells = columns.map((value) => block((value / most) * height - floor));
    return `${(label ?? '').padStart(margin)} ┤${cells.join('')}`.trimEnd();
  });
  const axis = `${'0'.padStart(margin)} ┼${'─'.repeat(columns.length)}`;
  const gap = ' '.repeat(Math.max(1, columns.length - from.length - to.length));
  return [title, ...rows, axis, `${' '.repeat(margin + 2)}${from}${gap}${to}`];
}

/** How full a cell is that the column reaches into by this share of its height; the least value is still seen. */
function block(share: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * 8)) : 0;
  return blocks[Math.min(8, eighths)] ?? ' ';
}

/** The highest value of each column: a peak is not lost between two columns. */
function resampled(values: readonly number[], count: number): number[] {
  return Array.from({ length: count }, (_, n) => {
    const begin = Math.floor((n * values.length) / count);
    const end = Math.max(begin + 1, Math.floor(((n + 1) * values.length) / count));
    return Math.max(0, ...values.slice(begin, end));
  });
}
