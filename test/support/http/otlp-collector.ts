// A collector of OpenTelemetry: takes spans over OTLP/HTTP as JSON, and is as strict as the protocol. What it does not
// understand it refuses with 400, as a real one does.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';

const Pair = z.strictObject({
  key: z.string().min(1),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  ]),
});
const nanos = z.string().regex(/^\d{19}$/);
const Span = z.strictObject({
  traceId: z.string().regex(/^(?!0+$)[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0+$)[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^(?!0+$)[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes: z.array(Pair),
  status: z.strictObject({ code: z.literal(2).optional(), message: z.string().optional() }),
});
const Export = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(Pair) }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(Span).min(1),
        }),
      ),
    }),
  ),
});

/** A span as it came. */
export interface CollectedSpan extends Omit<z.output<typeof Span>, 'attributes'> {
  readonly attributes: Readonly<Record<string, string>>;
  /** Of the process that sent it. */
  readonly resource: Readonly<Record<string, string>>;
}

export interface OtlpCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Whole requests, as they came. */
  readonly bodies: readonly string[];
  readonly headers: readonly IncomingMessage['headers'][];
  /** Requests that it did not understand, and why. */
  readonly refused: readonly string[];
  /** Answers the next requests with this status. */
  fail(status: number, times: number): void;
  close(): Promise<void>;
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const refused: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  let failing = { status: 503, times: 0 };

  const server = createServer((request, response) => {
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    headers.push(request.headers);
    if (failing.times > 0) {
      failing = { ...failing, times: failing.times - 1 };
      response.writeHead(failing.status).end('{}');
      return;
    }
    bodies.push(body);
    const fault = faultOf(request) ?? keep(body);
    if (fault !== undefined) refused.push(fault);
    response
      .writeHead(fault === undefined ? 200 : 400, { 'content-type': 'application/json' })
      .end(JSON.stringify(fault === undefined ? { partialSuccess: {} } : { message: fault }));
  }

  function keep(body: string): string | undefined {
    const parsed = Export.safeParse(JSON.parse(body));
    if (!parsed.success) return parsed.error.message;
    for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
      for (const { attributes, ...span } of scopeSpans.flatMap((scope) => scope.spans)) {
        const own = valuesOf(resource.attributes);
        spans.push({ ...span, attributes: valuesOf(attributes), resource: own });
      }
    }
    return undefined;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    headers,
    refused,
    fail: (status, times) => void (failing = { status, times }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function faultOf({ method, url, headers }: IncomingMessage): string | undefined {
  if (method !== 'POST' || url !== '/v1/traces') return `there is nothing at ${method} ${url}`;
  const type = headers['content-type'];
  return type === 'application/json' ? undefined : `it does not take ${type}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(z.instanceof(Buffer).parse(chunk));
  return Buffer.concat(chunks).toString();
}

function valuesOf(pairs: readonly z.output<typeof Pair>[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      'stringValue' in value ? value.stringValue : value.intValue,
    ]),
  );
}
