// POST /v1/media: keeps one file, for posts that refer to it.

import type { z } from 'zod';
import { keepMediaOrigin } from '../db/media.ts';
import type { Answer } from '../http/answer.ts';
import { bodyOf, declaredBytes } from '../http/body.ts';
import { notePicture } from '../media/note-picture.ts';
import { type StoredBlob, TooLargeError } from '../media/origin-store.ts';
import type { Uploaded } from './answers.ts';
import type { IngestContext } from './context.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { FormFault, fileOf, formTypeOf } from './form-file.ts';
import { admit, recorded, tooLarge } from './gate.ts';
import { isPacked } from './read-post.ts';
import { type Refusal, refuse } from './refusal.ts';

const uploadLimit = 'OUTRIDER_MEDIA_MAX_BYTES';

/**
 * The gate counts the request like any other, but its size limit is for posts and does not apply here. An upload needs
 * no signature: a file does nothing until a signed post refers to it.
 */
export async function takeUpload(
  context: IngestContext,
  incoming: EndpointRequest,
): Promise<Answer> {
  const { client, maxUploadBytes, patience } = context;
  const admitted = await admit(client, { secretHash: incoming.secretHash, sizeBytes: 0 });
  if (!admitted.ok) return admitted.refusal;
  const { endpoint } = admitted;
  if (isPacked(incoming.raw)) return recorded(client, endpoint, packed());
  const formType = formTypeOf(incoming);
  const isTooLarge = formType === undefined && declaredBytes(incoming) > maxUploadBytes;
  if (isTooLarge) return recorded(client, endpoint, tooLarge(maxUploadBytes, uploadLimit));
  const body = bodyOf(incoming, { silenceMs: patience.silenceMs });
  const blob = await keep(context, formType === undefined ? body : fileOf(formType, body));
  if ('status' in blob) return recorded(client, endpoint, blob);
  if (blob.sizeBytes === 0) {
    const empty = refuse('upload_refused', 'the file is empty', {
      hint: 'the body must be the bytes of a file, or a form with one',
    });
    return recorded(client, endpoint, empty);
  }
  await keepMediaOrigin(client, { workspaceId: endpoint.workspaceId, ...blob });
  await notePicture(context, endpoint.workspaceId, blob);
  const { blobRef: blob_ref, contentType: content_type, sizeBytes: size_bytes } = blob;
  const answer: z.input<typeof Uploaded> = { blob_ref, content_type, size_bytes };
  const facts = { workspace_id: endpoint.workspaceId, blob_ref, size_bytes };
  return { status: 201, body: answer, facts };
}

/** The store would keep the packed bytes, and a platform could not show them. */
function packed(): Refusal {
  return refuse('unsupported_media_type', 'the body is packed (content-encoding)', {
    hint: 'send the bytes of the file as they are',
  });
}

async function keep(
  { store, maxUploadBytes: maxBytes }: IngestContext,
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredBlob | Refusal> {
  try {
    return await store.put(bytes, { maxBytes });
  } catch (error) {
    if (error instanceof TooLargeError) return tooLarge(maxBytes, uploadLimit);
    if (error instanceof FormFault) return refuse('upload_refused', error.message);
    throw error;
  }
}
