// A post with what its request says of it: as it is taken in when it had to be verified, or its media had to be copied.

import { parseExactly } from './exact-json.ts';

export interface SaidByRequest {
  readonly traceId: string | null;
  /** The id of a signed request. */
  readonly webhookId: string | null;
}

export function wholePost(
  text: string,
  { traceId, webhookId }: SaidByRequest,
): Readonly<Record<string, unknown>> {
  const given = parseExactly(text);
  return {
    ...given,
    trace_id: given['trace_id'] ?? traceId,
    source_ref: isGiven(given['source_ref']) ? given['source_ref'] : webhookId,
  };
}

/** null and an empty text count as missing. */
function isGiven(ref: unknown): boolean {
  return ref !== undefined && ref !== null && ref !== '';
}
