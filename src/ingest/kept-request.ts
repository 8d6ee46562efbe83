// Has the raw request of a post kept, if its workspace wishes so: what was refused, or everything.

import { z } from 'zod';
import type { Answer } from '../http/answer.ts';
import type { IngestContext } from './context.ts';
import type { EndpointRequest } from './endpoint-request.ts';

/** What an answer tells of the request's record. */
const Told = z.object({
  run_id: z.string().optional(),
  message_id: z.string().optional(),
  error: z.object({ code: z.string(), max_payload_bytes: z.number().optional() }).optional(),
});

/** Called with the answer; nobody waits for it. Of a body that is too large, as much as the endpoint takes is kept. */
export function keepRequest(
  { payloads }: IngestContext,
  { raw, workspaceId }: EndpointRequest,
  bytes: Buffer,
  answer: Answer,
): void {
  const isRefused = answer.status >= 400;
  if (payloads === undefined || (!isRefused && !payloads.mayWantAll(workspaceId))) return;
  const { run_id: runId, message_id: messageId, error } = Told.safeParse(answer.body).data ?? {};
  // A refusal without a run is not on record. One for the pace says nothing of the request.
  if (runId === undefined || error?.code === 'rate_limited') return;
  const { method = '', url: path = '', rawHeaders } = raw;
  const body = bytes.subarray(0, error?.max_payload_bytes);
  const request = { method, path, rawHeaders, body };
  void payloads.keepRequest({
    workspaceId,
    isError: isRefused,
    raw: request,
    messageId,
    runId,
  });
}
