// The id that a request has in the sender's own records.

import type { IncomingHttpHeaders } from 'node:http';
import type { TraceContext } from '../observer.ts';

/** The trace id of W3C Trace Context, or x-request-id; undefined when neither can be used. */
export function traceIdOf(headers: IncomingHttpHeaders): string | undefined {
  return traceContextOf(headers)?.traceId ?? requestIdOf(headers);
}

const form = /^([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Where the request stands in the sender's trace, as W3C Trace Context says it. */
export function traceContextOf({ traceparent }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId = '', flags = '', more] = form.exec(traceparent) ?? [];
  if (traceId === undefined) return undefined;
  // There is no version ff, and version 00 has four fields. A later version may have more.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** x-request-id, if it can be kept and sent back. */
export function requestIdOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : undefined;
}
