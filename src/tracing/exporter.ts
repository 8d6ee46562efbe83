// Hands spans to a collector, batch by batch. A collector that is away costs spans, never work: at most some thousands
// wait in memory, and what cannot be handed over is dropped and counted.
//
//   add → waiting → (every 2 s, or when a batch is full) → exported
//                 → dropped: too many wait, the collector refuses them, or it could not be reached several times

import { setTimeout as delay } from 'node:timers/promises';
import { waitAfter } from '../backoff.ts';
import type { Reply, Transport } from '../http/transport.ts';
import type { TracingSettings } from '../tracing-settings.ts';
import type { Trouble } from '../trouble.ts';
import { asOtlp, type Resource, type Span } from './otlp.ts';

export interface ExporterOptions {
  readonly settings: Pick<TracingSettings, 'url' | 'headers' | 'timeoutMs'>;
  readonly resource: Resource;
  readonly transport: Pick<Transport, 'send'>;
  readonly trouble: Trouble;
  readonly onSpans: (outcome: 'exported' | 'dropped', spans: number) => void;
  readonly everyMs?: number | undefined;
}

export interface Exporter {
  add(spans: readonly Span[]): void;
  /** Hands over what waits, within a time, and drops the rest. */
  stop(): Promise<void>;
}

const batchSize = 512;
const mostWaiting = 16 * batchSize;
const tries = 4;
const backoff = { baseMs: 500, capMs: 5000 };
const lastMs = 3000;
const passing = new Set([429, 502, 503, 504]);

export function createExporter(options: ExporterOptions): Exporter {
  const { settings, resource, transport, trouble, onSpans, everyMs = 2000 } = options;
  const waiting: Span[] = [];
  const halted = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let handing: Promise<void> | undefined;
  let isStopping = false;

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    handing ??= handOver().finally(() => {
      handing = undefined;
      if (waiting.length > 0) plan();
    });
  }

  function plan(): void {
    if (isStopping) return;
    if (waiting.length >= batchSize) start();
    else timer ??= setTimeout(start, everyMs).unref();
  }

  async function handOver(): Promise<void> {
    while (waiting.length > 0 && !halted.signal.aborted) {
      const batch = waiting.splice(0, batchSize);
      const fault = await handOverBatch(batch);
      onSpans(fault === undefined ? 'exported' : 'dropped', batch.length);
      if (fault === undefined) trouble.over();
      else trouble.failed(new Error(fault));
      if (waiting.length < batchSize && !halted.signal.aborted) return;
    }
  }

  /** Undefined when the collector has taken it, else why not. */
  async function handOverBatch(batch: readonly Span[]): Promise<string | undefined> {
    const text = JSON.stringify(asOtlp(resource, batch));
    for (let failures = 1; ; failures += 1) {
      const reply = await transport.send({
        method: 'POST',
        url: settings.url,
        headers: { ...settings.headers, 'content-type': 'application/json' },
        body: { text },
        timeoutMs: settings.timeoutMs,
        signal: halted.signal,
        secrets: Object.values(settings.headers),
      });
      if (reply.kind === 'answered' && reply.status < 300) return undefined;
      if (failures === tries || !isPassing(reply) || halted.signal.aborted) return faultOf(reply);
      await delay(waitAfter(failures, backoff, Math.random()), undefined, {
        signal: halted.signal,
        ref: false,
      }).catch(() => undefined);
    }
  }

  return {
    add(spans) {
      const room = mostWaiting - waiting.length;
      if (room < spans.length) {
        onSpans('dropped', spans.length);
        return;
      }
      waiting.push(...spans);
      if (handing === undefined) plan();
    },
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      const end = setTimeout(() => halted.abort(), lastMs);
      try {
        await handing;
        while (waiting.length > 0 && !halted.signal.aborted) await handOver();
      } finally {
        clearTimeout(end);
        halted.abort();
        if (waiting.length > 0) onSpans('dropped', waiting.splice(0).length);
      }
    },
  };
}

function isPassing(reply: Reply): boolean {
  return reply.kind !== 'answered' || passing.has(reply.status);
}

function faultOf(reply: Reply): string {
  if (reply.kind !== 'answered') return `the collector cannot be reached: ${reply.reason}`;
  return `the collector answered with status ${reply.status}`;
}
