// POST /v1/media: keeps one file, for posts that refer to it.

import type { z } from 'zod';
import { keepMediaOrigin } from '../db/media.ts';
import { type StoredBlob, TooLargeError } from '../media/origin-store.ts';
import type { Answer, Uploaded } from './answers.ts';
import { bodyOf, declaredBytes } from './body.ts';
import type { IngestContext } from './context.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { admit, recorded, tooLarge } from './gate.ts';
import { refuse } from './refusal.ts';

/**
 * The gate counts the request like any other; its limit is for posts and does not apply. Nor is a signature
 * asked for: a file is nothing until a signed post refers to it.
 */
export async function takeUpload(
  context: IngestContext,
  incoming: EndpointRequest,
): Promise<Answer> {
  const { client, maxUploadBytes, patience } = context;
  const admitted = await admit(client, { secretHash: incoming.secretHash, sizeBytes: 0 });
  if (!admitted.ok) return admitted.refusal;
  const { endpoint } = admitted;
  const refusedAsTooLarge = async (): Promise<Answer> =>
    recorded(client, endpoint, tooLarge(maxUploadBytes));

  if (declaredBytes(incoming) > maxUploadBytes) return refusedAsTooLarge();
  const body = bodyOf(incoming, { silenceMs: patience.silenceMs });
  const blob = await keep(context, body);
  if (blob === 'too_large') return refusedAsTooLarge();
  if (blob.sizeBytes === 0) {
    const empty = refuse('upload_refused', 'the body is empty; it must be the bytes of a file');
    return recorded(client, endpoint, empty);
  }
  await keepMediaOrigin(client, { workspaceId: endpoint.workspaceId, ...blob });
  const { blobRef: blob_ref, contentType: content_type, sizeBytes: size_bytes } = blob;
  const answer: z.input<typeof Uploaded> = { blob_ref, content_type, size_bytes };
  const facts = { workspace_id: endpoint.workspaceId, blob_ref, size_bytes };
  return { status: 201, body: answer, facts };
}

async function keep(
  { store, maxUploadBytes: maxBytes }: IngestContext,
  body: AsyncIterable<Uint8Array>,
): Promise<StoredBlob | 'too_large'> {
  try {
    return await store.put(body, { maxBytes });
  } catch (error) {
    if (error instanceof TooLargeError) return 'too_large';
    throw error;
  }
}
