import { describe, expect, it } from 'vitest';
import { createCounter, createGauge, createHistogram } from '../../src/metrics/instruments.ts';
import { inTextFormat } from '../../src/metrics/text-format.ts';
import { readMetricsText } from '../support/http/metrics-text.ts';

const family = { name: 'posts', type: 'counter', help: 'Posts.' } as const;

describe('the text format', () => {
  it('has the words of each metric before its values', () => {
    const counter = createCounter(['kind']);
    counter.add(2, 'push');
    counter.add(1, 'pull');
    counter.add(1, 'push');
    expect(inTextFormat([{ ...family, samples: counter.samples() }])).toBe(
      '# HELP posts Posts.\n# TYPE posts counter\nposts{kind="push"} 3\nposts{kind="pull"} 1\n',
    );
  });

  it('leaves out a metric that has no values', () => {
    expect(inTextFormat([{ ...family, samples: [] }])).toBe('');
  });

  it('escapes what would end a label or a line', () => {
    const odd = 'a "quoted"\\\nline';
    const text = inTextFormat([
      { ...family, help: 'Two\nlines \\', samples: [{ labels: { odd }, value: 1 }] },
    ]);
    expect(text).toContain('# HELP posts Two\\nlines \\\\\n');
    expect(readMetricsText(text).get('posts')?.samples[0]?.labels).toEqual({ odd });
  });

  it('writes every number as Prometheus reads it', () => {
    const values = [0, 1.5, 1e21, 1e-7, Number.POSITIVE_INFINITY];
    const samples = values.map((value, n) => ({ labels: { n: String(n) }, value }));
    const read = readMetricsText(inTextFormat([{ ...family, type: 'gauge', samples }]));
    expect(read.get('posts')?.samples.map((each) => each.value)).toEqual(values);
  });
});

describe('a histogram', () => {
  it('counts a value in its bucket and in all larger ones, the bound included', () => {
    const histogram = createHistogram([1, 5], ['platform']);
    for (const value of [0.5, 1, 3, 7]) histogram.observe(value, 'max');
    histogram.observe(2, 'vk');
    const ofMax = histogram.samples().filter((each) => each.labels['platform'] === 'max');
    expect(ofMax.map(({ suffix, labels: { le }, value }) => [suffix, le, value])).toEqual([
      ['_bucket', '1', 2],
      ['_bucket', '5', 3],
      ['_bucket', '+Inf', 4],
      ['_sum', undefined, 11.5],
      ['_count', undefined, 4],
    ]);
  });

  it('has no values before the first', () => {
    expect(createHistogram([1]).samples()).toEqual([]);
  });
});

describe('a counter without labels', () => {
  it('begins with 0, so that its first step can be seen', () => {
    expect(createCounter().samples()).toEqual([{ labels: {}, value: 0 }]);
  });
});

describe('a gauge', () => {
  it('is asked whenever it is read', () => {
    let value = 1;
    const gauge = createGauge(() => value);
    value = 2;
    expect(gauge.samples()).toEqual([{ labels: {}, value: 2 }]);
  });
});
