// Turns media into attachments. Bytes are uploaded once and then named by their token, but only for a while: tokens
// may expire without notice. A token that MAX refuses is forgotten, and its bytes are uploaded anew.

import { z } from 'zod';
import type { Blob, SendMedia } from '../adapter.ts';
import { sendError } from '../answer.ts';
import { type Answer, judge } from './answers.ts';
import type { Api } from './api.ts';
import type { MediaAttachment } from './message-body.ts';
import { judgeUpload, type UploadType } from './upload-answers.ts';

export interface Uploads {
  /** The media as attachments, in their order; uploads what MAX does not have. */
  attach(media: readonly SendMedia[]): Promise<Answer<MediaAttachment[]>>;
  /** Forgets the tokens that earlier sends have left for these media; false when there are none. */
  forget(media: readonly SendMedia[]): Promise<boolean>;
}

const addressShape = z.object({ url: z.string().min(1), token: z.string().min(1).nullish() });

/** For one send: a blob that stands in it several times is uploaded once. */
export function createUploads(api: Api, keepTokensMs: number): Uploads {
  const fresh = new Map<string, string>();
  const forgotten = new Set<string>();

  function kept(blob: Blob, type: UploadType): string | undefined {
    const key = keyOf(blob, type);
    return fresh.get(key) ?? (forgotten.has(key) ? undefined : blob.fileId);
  }

  async function upload(blob: Blob, type: UploadType): Promise<Answer<string>> {
    const asked = await api.call({ method: 'POST', path: '/uploads', query: { type } });
    const address = judge(asked, 'upload', addressShape, api.now());
    if (!address.ok) return address;
    const sent = await api.upload(address.value.url, blob);
    const token = judgeUpload(sent, type, address.value.token ?? undefined, api.now());
    if (!token.ok) return token;
    fresh.set(keyOf(blob, type), token.value);
    // Without the record the next send uploads once more; this one has what it needs.
    const until = new Date(api.now().getTime() + keepTokensMs);
    await blob.keep(token.value, until).catch(() => undefined);
    return token;
  }

  return {
    async attach(media) {
      const attachments: MediaAttachment[] = [];
      for (const { type: kind, source } of media) {
        const type = uploadType(kind, source);
        if ('url' in source) {
          if (type !== 'image') return onlyLink(type);
          attachments.push({ type, payload: { url: source.url } });
          continue;
        }
        const known = kept(source.blob, type);
        const token = known === undefined ? await upload(source.blob, type) : given(known);
        if (!token.ok) return token;
        attachments.push({ type, payload: { token: token.value } });
      }
      return { ok: true, value: attachments };
    },
    async forget(media) {
      let hasForgotten = false;
      for (const { type: kind, source } of media) {
        if ('url' in source || source.blob.fileId === undefined) continue;
        const key = keyOf(source.blob, uploadType(kind, source));
        if (fresh.has(key) || forgotten.has(key)) continue;
        forgotten.add(key);
        await source.blob.forget().catch(() => undefined);
        hasForgotten = true;
      }
      return hasForgotten;
    },
  };
}

function keyOf(blob: Blob, type: UploadType): string {
  return `${type} ${blob.blobRef}`;
}

function given(token: string): Answer<string> {
  return { ok: true, value: token };
}

/** MAX has no animations: a moving picture is an image or a video, depending on its bytes. */
export function uploadType(type: SendMedia['type'], source: SendMedia['source']): UploadType {
  if (type !== 'animation') return type;
  return 'blob' in source && source.blob.contentType.startsWith('video/') ? 'video' : 'image';
}

function onlyLink(type: UploadType): Answer<never> {
  const words = `MAX takes ${type} only as an upload, and this one is a link`;
  return { ok: false, error: sendError('validation_failed', words) };
}
