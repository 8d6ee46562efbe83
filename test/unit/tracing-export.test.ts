import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTransport, type Transport } from '../../src/http/transport.ts';
import { createExporter, type Exporter } from '../../src/tracing/exporter.ts';
import type { Span } from '../../src/tracing/otlp.ts';
import { isInShare, spanOfIntake, traceIdOf } from '../../src/tracing/trace-ids.ts';
import { type OtlpCollector, startOtlpCollector } from '../support/http/otlp-collector.ts';

let collector: OtlpCollector;
let transport: Transport;
let troubles: string[];
const counts = { exported: 0, dropped: 0 };

beforeEach(async () => {
  collector = await startOtlpCollector();
  transport = createTransport();
  troubles = [];
  Object.assign(counts, { exported: 0, dropped: 0 });
});

afterEach(async () => {
  await collector.close();
  await transport.close();
});

function open(everyMs = 5): Exporter {
  return createExporter({
    settings: { url: `${collector.url}/v1/traces`, headers: {}, timeoutMs: 30_000 },
    resource: { version: '1', attributes: { 'service.name': 'test' } },
    transport,
    trouble: {
      times: 0,
      failed: (error) => void troubles.push(String(error)),
      over: () => void troubles.push('over'),
    },
    onSpans: (outcome, spans) => void (counts[outcome] += spans),
    everyMs,
  });
}

function span(number: number): Span {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: number.toString(16).padStart(16, '1'),
    parentSpanId: undefined,
    name: 'work',
    kind: 'internal',
    startMs: 1_700_000_000_000,
    endMs: 1_700_000_000_001.5,
    attributes: { place: 'here', count: 2, missing: undefined },
  };
}

const many = (count: number): Span[] => Array.from({ length: count }, (_, n) => span(n));

describe('the exporter of spans', () => {
  it('hands spans over as the protocol says', async () => {
    const exporter = open();
    exporter.add([span(1)]);
    await vi.waitFor(() => expect(collector.spans).toHaveLength(1), 30_000);
    await exporter.stop();
    expect(collector.refused).toEqual([]);
    expect(collector.spans[0]).toMatchObject({
      name: 'work',
      startTimeUnixNano: '1700000000000000000',
      endTimeUnixNano: '1700000000001500000',
      attributes: { place: 'here', count: '2' },
      resource: { 'service.name': 'test' },
    });
  });

  it('hands over what is left when it is stopped, in batches', async () => {
    const exporter = open(60_000);
    exporter.add(many(300));
    exporter.add(many(400));
    await exporter.stop();
    expect(collector.spans).toHaveLength(700);
    expect(collector.bodies).toHaveLength(2);
    expect(counts).toEqual({ exported: 700, dropped: 0 });
  });

  it('tries again where the collector is away for a moment', async () => {
    collector.fail(503, 1);
    const exporter = open();
    exporter.add([span(1)]);
    await vi.waitFor(() => expect(counts).toEqual({ exported: 1, dropped: 0 }), 30_000);
    await exporter.stop();
    expect(troubles).toEqual(['over']);
  });

  it('drops what the collector refuses, and says so without its address', async () => {
    collector.fail(400, 1);
    const exporter = open();
    exporter.add([span(1)]);
    await vi.waitFor(() => expect(counts.dropped).toBe(1), 30_000);
    await exporter.stop();
    expect(troubles).toEqual(['Error: the collector answered with status 400']);
  });

  it('keeps no more than it has room for while the collector is away', async () => {
    collector.fail(503, 1000);
    const exporter = open();
    for (let times = 0; times < 100; times += 1) exporter.add(many(100));
    expect(counts.dropped).toBeGreaterThan(0);
    collector.fail(503, 0);
    await exporter.stop();
    expect(counts.exported + counts.dropped).toBe(10_000);
  });
});

describe('the ids of traces', () => {
  it.each([
    ['0af7651916cd43dd8448eb211c80319c', '0af7651916cd43dd8448eb211c80319c'],
    ['0AF76519-16CD-43DD-8448-EB211C80319C', '0af7651916cd43dd8448eb211c80319c'],
  ])('are those of the record where it has such: %s', (recorded, traceId) => {
    expect(traceIdOf(recorded)).toBe(traceId);
  });

  it.each(['order-17', '00000000000000000000000000000000', 'ж'])(
    'are made from any other text, the same every time: %s',
    (recorded) => {
      expect(traceIdOf(recorded)).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
      expect(traceIdOf(recorded)).toBe(traceIdOf(recorded));
      expect(traceIdOf(recorded)).not.toBe(traceIdOf(`${recorded}.`));
    },
  );

  it('tell the span of the intake from any delivery that it made', () => {
    const ids = ['019a92b4-7d21-7abc-8123-456700000001', '019a92b4-7d21-7abc-8123-456700000028'];
    expect(ids.map(spanOfIntake)).toEqual(['7d217abc81234567', '7d217abc81234567']);
  });

  it('decide alone which traces are kept', () => {
    const ids = Array.from({ length: 4096 }, (_, n) => traceIdOf(`trace ${n}`));
    const kept = ids.filter((each) => isInShare(each, 0.25)).length;
    expect(kept).toBeGreaterThan(900);
    expect(kept).toBeLessThan(1150);
    expect(ids.filter((each) => isInShare(each, 0))).toEqual([]);
    expect(ids.filter((each) => isInShare(each, 1))).toHaveLength(4096);
  });
});
