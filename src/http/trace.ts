// The id that a request has in the sender's own records.

import type { IncomingHttpHeaders } from 'node:http';

/** The trace id of W3C Trace Context, or x-request-id; undefined when neither can be used. */
export function traceIdOf(headers: IncomingHttpHeaders): string | undefined {
  const { traceparent } = headers;
  const trace =
    typeof traceparent === 'string'
      ? /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/.exec(
          traceparent,
        )?.[1]
      : undefined;
  return trace ?? requestIdOf(headers);
}

/** x-request-id, if it can be kept and sent back. */
export function requestIdOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : undefined;
}
