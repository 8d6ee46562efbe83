import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningOutrider, startRunning } from '../support/cli/running-outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { send } from '../support/http/ingest.ts';
import {
  type CollectedSpan,
  type OtlpCollector,
  startOtlpCollector,
} from '../support/http/otlp-collector.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import {
  addSandboxChannels,
  sandboxSecrets,
  sandboxTokens,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { statusesOf } from '../support/sandbox/sandbox-posts.ts';

// One process takes posts in, another sends them; both hand their spans to one collector.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const secret = 'secret-of-the-endpoint';
const personal = '+7 916 123-45-67';

let collector: OtlpCollector;
let dispatching: string;

beforeAll(work, 90_000);

/** Two posts, the second of which one platform refuses. */
async function work(): Promise<void> {
  collector = await startOtlpCollector();
  const counts = { telegram: 1, max: 1 };
  await addSandboxChannels(database.admin, sandbox, { workspaceId: 'city', counts });
  await addEndpoint(database.admin, 'city', secret, { ingress_rps: 1000 });
  const env = (service: string): Record<string, string> => ({
    DATABASE_URL: database.url,
    OUTRIDER_DATA_DIR: folder,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret',
    OTEL_SERVICE_NAME: service,
    TELEGRAM_API_URL: urlsOf(sandbox).telegram,
    MAX_API_URL: urlsOf(sandbox).max,
    VK_API_URL: urlsOf(sandbox).vk,
    ...sandboxSecrets,
  });
  const running: RunningOutrider[] = await Promise.all([
    startRunning(['run', 'ingest'], env('taking in')),
    startRunning(['run', 'dispatch', '--health'], env('sending')),
  ]);
  const [ingest, dispatch] = running;
  if (ingest === undefined || dispatch === undefined) throw new Error('a process is missing');
  try {
    const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;
    const post = { text: `Lost: Bim. Call ${personal}` };
    expect((await send(ingest, secret, post, { traceparent })).status).toBe(202);
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, 'city')).toEqual({ sent: 2 }),
      { timeout: 30_000, interval: 50 },
    );
    sandbox.faults.add({ kind: 'kicked', platform: 'max' });
    await send(ingest, secret, { text: 'Found: Bim' });
    await vi.waitFor(
      async () => {
        const { sending = 0, queued = 0, sent = 0 } = await statusesOf(database.admin, 'city');
        expect({ sending, queued, sent }).toEqual({ sending: 0, queued: 0, sent: 3 });
      },
      { timeout: 30_000, interval: 50 },
    );
    // The process learns of a commit a moment after the database has it.
    await vi.waitFor(async () => {
      dispatching = await (await fetch(`${dispatch.url}/metrics?source=process`)).text();
      expect(dispatching).toContain(
        'outrider_delivery_duration_seconds_count{platform="telegram"} 2',
      );
    }, 10_000);
  } finally {
    // What is left is handed over when they stop.
    expect(await Promise.all(running.map((each) => each.stop()))).toEqual([0, 0]);
  }
}

afterAll(() => collector.close());

const spansOf = (traceId: string): CollectedSpan[] =>
  collector.spans.filter((each) => each.traceId === traceId);

function only(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [found, ...more] = spans.filter((each) => each.name === name);
  if (found === undefined || more.length > 0) throw new Error(`${name}: not one span`);
  return found;
}

describe('a post that one process takes in and another sends', () => {
  it('is one trace, that of the sender’s request, over both processes', () => {
    const spans = spansOf(caller.traceId);
    expect(
      spans.map((each) => `${each.resource['service.name']}: ${each.name}`).toSorted(),
    ).toEqual([
      'sending: claim',
      'sending: claim',
      'sending: commit',
      'sending: commit',
      'sending: deliver max',
      'sending: deliver telegram',
      'sending: send max',
      'sending: send telegram',
      'taking in: POST /v1/ingest',
      'taking in: enqueue',
    ]);
    const services = new Set(spans.map((each) => each.resource['process.pid']));
    expect(services.size).toBe(2);
  });

  it('has every span under the right one', () => {
    const spans = spansOf(caller.traceId);
    const push = only(spans, 'POST /v1/ingest');
    expect(push.parentSpanId).toBe(caller.spanId);
    expect(only(spans, 'enqueue').parentSpanId).toBe(push.spanId);
    for (const platform of ['telegram', 'max']) {
      const deliver = only(spans, `deliver ${platform}`);
      expect(deliver.parentSpanId).toBe(push.spanId);
      expect(only(spans, `send ${platform}`).parentSpanId).toBe(deliver.spanId);
      const steps = spans.filter((each) => each.parentSpanId === deliver.spanId);
      expect(steps.map((each) => each.name)).toEqual(['claim', `send ${platform}`, 'commit']);
      for (const step of steps) {
        expect(step.startTimeUnixNano >= deliver.startTimeUnixNano).toBe(true);
        expect(step.endTimeUnixNano <= deliver.endTimeUnixNano).toBe(true);
      }
    }
    expect(new Set(spans.map((each) => each.spanId)).size).toBe(spans.length);
  });

  it('says where it went and what became of it', () => {
    const spans = spansOf(caller.traceId);
    expect(only(spans, 'POST /v1/ingest')).toMatchObject({
      kind: 2,
      status: {},
      attributes: {
        'http.response.status_code': '202',
        'outrider.workspace_id': 'city',
        'outrider.deliveries_queued': '2',
      },
    });
    expect(only(spans, 'deliver telegram')).toMatchObject({
      kind: 5,
      status: {},
      attributes: {
        'outrider.channel_id': 'telegram-1',
        'outrider.attempt': '1',
        'outrider.result': 'sent',
        'outrider.became': 'sent',
      },
    });
  });

  it('has a status where a send failed, and a trace of its own where the sender names none', () => {
    const failed = collector.spans.filter(
      (each) => each.name === 'deliver max' && each.status.code === 2,
    );
    expect(failed.length).toBeGreaterThan(0);
    for (const { traceId, attributes, status } of failed) {
      expect(traceId).not.toBe(caller.traceId);
      expect(attributes['outrider.result']).toBe('refused');
      expect(status.message).toBe(attributes['error.type']);
      expect(only(spansOf(traceId), 'send telegram').status).toEqual({});
      const push = only(spansOf(traceId), 'POST /v1/ingest');
      expect(push.parentSpanId).toBeUndefined();
    }
  });

  it('tells the collector no text, no contact, no chat and no secret', () => {
    const told = collector.bodies.join('\n');
    expect(told).toContain('telegram-1');
    for (const hidden of ['Bim', '+7 916', '123-45-67', secret, ...Object.values(sandboxTokens)]) {
      expect(told).not.toContain(hidden);
    }
  });

  it('is sent as the protocol says, with the headers that were asked for', () => {
    expect(collector.refused).toEqual([]);
    for (const headers of collector.headers) {
      expect(headers.authorization).toBe('Bearer collector-secret');
    }
  });

  it('is measured by the process that sends', () => {
    expect(dispatching).toMatch(
      /^outrider_delivery_duration_seconds_count\{platform="telegram"\} 2$/m,
    );
    expect(dispatching).toMatch(
      /^outrider_send_duration_seconds_count\{platform="max",result="sent"\} 1$/m,
    );
  });
});
