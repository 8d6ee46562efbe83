// The id that a request has in the sender's own records.

import type { IncomingHttpHeaders } from 'node:http';
import type { TraceContext } from '../observer.ts';

/** The trace id of W3C Trace Context, or x-request-id; undefined when neither can be used. */
export function traceIdOf(headers: IncomingHttpHeaders): string | undefined {
  return traceparentOf(headers)?.[1] ?? requestIdOf(headers);
}

/** Where the request stands in the sender's trace, as W3C Trace Context says it. */
export function traceContextOf(headers: IncomingHttpHeaders): TraceContext | undefined {
  const [, traceId, spanId = '', flags = ''] = traceparentOf(headers) ?? [];
  if (traceId === undefined || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const form = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

function traceparentOf({ traceparent }: IncomingHttpHeaders): RegExpExecArray | undefined {
  return typeof traceparent === 'string' ? (form.exec(traceparent) ?? undefined) : undefined;
}

/** x-request-id, if it can be kept and sent back. */
export function requestIdOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : undefined;
}
