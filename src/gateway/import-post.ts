// POST /v1/media/import: copies the media that a post links to into the origin store, as the ingest server does before it
// enqueues the post, and answers with the post that refers to the copies.

import type { Answer } from '../http/answer.ts';
import { type ImportContext, importMedia } from '../media/import-media.ts';
import type { Caller } from './deliver.ts';
import { refuse } from './refusal.ts';

export interface ImportRequest {
  readonly workspaceId: string;
  readonly payload: unknown;
}

export async function importPost(
  context: ImportContext,
  { workspaceId, payload }: ImportRequest,
  { gone, halted }: Caller,
): Promise<Answer> {
  const signal = AbortSignal.any([gone, halted]);
  const imported = await importMedia(context, workspaceId, payload, signal);
  if (signal.aborted) {
    return refuse('stopping', 'the import was stopped', {
      hint: 'send the same request again',
      retryAfterSeconds: 1,
    });
  }
  const facts = { workspace_id: workspaceId, ok: imported.ok };
  if (imported.ok) return { status: 200, body: { ok: true, payload: imported.post }, facts };
  const { code, path, reason, transient } = imported.fault;
  const error = { code, path, message: reason, transient };
  const body = { ok: false, error, reason: `${path}: ${reason}`.slice(0, 1000) };
  return { status: 200, body, facts: { ...facts, code, error: reason } };
}
