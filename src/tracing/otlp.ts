// Spans as JSON of OTLP, the protocol of OpenTelemetry.

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

const kinds: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  consumer: 5,
};

export type AttributeValue = string | number | undefined;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined: it is the first of its trace. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds of Unix time. */
  readonly startMs: number;
  readonly endMs: number;
  /** Never a text of a post, an address of a chat, or what a platform has said. */
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** A word for what went wrong; undefined: nothing. */
  readonly error?: string | undefined;
}

export interface Resource {
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly version: string;
}

/** The body of a call to a collector. */
export function asOtlp({ attributes, version }: Resource, spans: readonly Span[]): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: inPairs(attributes) },
        scopeSpans: [{ scope: { name: 'outrider', version }, spans: spans.map(asJson) }],
      },
    ],
  };
}

function asJson(span: Span): object {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: inNanos(startMs),
    endTimeUnixNano: inNanos(Math.max(startMs, endMs)),
    attributes: inPairs(attributes),
    status: error === undefined ? {} : { code: 2, message: error },
  };
}

function inPairs(attributes: Resource['attributes']): object[] {
  return Object.entries(attributes).flatMap(([key, value]): object[] => {
    if (value === undefined) return [];
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }];
    return [{ key, value: { intValue: String(Math.round(value)) } }];
  });
}

/** To the microsecond: a number holds no more. */
function inNanos(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}
