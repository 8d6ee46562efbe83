// Counters, gauges and histograms of a process, and how Prometheus reads them.

/** One line of the text format, without its family. */
export interface Sample {
  /** What follows the family's name: `_bucket`, `_sum`, `_count`, or nothing. */
  readonly suffix?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Instrument {
  samples(): readonly Sample[];
}

export interface Counter extends Instrument {
  add(by: number, ...labels: string[]): void;
}

export interface Histogram extends Instrument {
  observe(value: number, ...labels: string[]): void;
}

/** `names` are those of the labels; values are given in their order. */
export function createCounter(names: readonly string[] = []): Counter {
  const values = new Map<string, { readonly labels: string[]; value: number }>();
  if (names.length === 0) values.set('', { labels: [], value: 0 });
  return {
    add(by, ...labels) {
      const key = labels.join('\0');
      const known = values.get(key);
      if (known === undefined) values.set(key, { labels, value: by });
      else known.value += by;
    },
    samples: () =>
      [...values.values()].map(({ labels, value }) => ({ labels: labelled(names, labels), value })),
  };
}

/** A value that is asked for when somebody reads it. */
export function createGauge(read: () => readonly Sample[] | number): Instrument {
  return {
    samples() {
      const now = read();
      return typeof now === 'number' ? [{ labels: {}, value: now }] : now;
    },
  };
}

interface Series {
  readonly labels: string[];
  /** How many values lay in each bucket, and in none of them at the end. */
  readonly counts: Float64Array;
  sum: number;
}

/** `bounds` are the upper ends of the buckets, in order. */
export function createHistogram(
  bounds: readonly number[],
  names: readonly string[] = [],
): Histogram {
  /** By the first label, then by the others: a send has two, and joining them would cost more than the rest. */
  const all = new Map<string, Map<string, Series>>();

  function seriesOf(labels: string[]): Series {
    const [first = '', second = '', ...more] = labels;
    const others = more.length === 0 ? second : [second, ...more].join('\0');
    const known = all.get(first)?.get(others);
    if (known !== undefined) return known;
    const series = { labels, counts: new Float64Array(bounds.length + 1), sum: 0 };
    const ofFirst = all.get(first) ?? new Map<string, Series>();
    all.set(first, ofFirst.set(others, series));
    return series;
  }

  function samplesOf({ labels: given, counts, sum }: Series): Sample[] {
    const labels = labelled(names, given);
    let count = 0;
    const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, place) => {
      count += counts[place] ?? 0;
      const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
      return { suffix: '_bucket', labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { suffix: '_sum', labels, value: sum },
      { suffix: '_count', labels, value: count },
    ];
  }

  return {
    observe(value, ...labels) {
      const series = seriesOf(labels);
      let place = 0;
      while (place < bounds.length && value > (bounds[place] ?? 0)) place += 1;
      series.counts[place] = (series.counts[place] ?? 0) + 1;
      series.sum += value;
    },
    samples: () => [...all.values()].flatMap((each) => [...each.values()].flatMap(samplesOf)),
  };
}

function labelled(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, place) => [name, values[place] ?? '']));
}
