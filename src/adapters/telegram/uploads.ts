// The files of one send. A blob is uploaded once; from then on this bot names it by its file_id, until Telegram no
// longer takes that name.

import type { FilePart } from '../../http/multipart.ts';
import type { Blob, MediaType, SendMedia } from '../adapter.ts';
import { fileIdOf, type SentMessage } from './sent-message.ts';

/** What Telegram calls the types of media. */
export const kinds = {
  image: 'photo',
  video: 'video',
  audio: 'audio',
  file: 'document',
  animation: 'animation',
} as const satisfies Record<MediaType, string>;

/** A medium in a call: a link, a file_id or the name of an upload that goes with the call. */
export interface AttachedFile {
  readonly value: string;
  readonly upload?: FilePart;
}

export class SendFiles {
  /** The names that this send has learnt, by kind and blob; undefined for names that Telegram refused. */
  readonly #names = new Map<string, string | undefined>();
  #unkept: { readonly blob: Blob; readonly fileId: string }[] = [];

  /** `part` names the upload, if one is needed. */
  attach({ type, source }: SendMedia, part: string): AttachedFile {
    if ('url' in source) return { value: source.url };
    const { blob } = source;
    const fileId = this.#nameOf(type, blob);
    if (fileId !== undefined) return { value: fileId };
    const { filename, contentType, sizeBytes } = blob;
    const upload = { name: part, filename, contentType, sizeBytes, open: () => blob.open() };
    return { value: `attach://${part}`, upload };
  }

  /** Notes the names that Telegram gave to these media; the messages are in the order of the media. */
  learn(media: readonly SendMedia[], messages: readonly SentMessage[]): void {
    for (const [index, { type, source }] of media.entries()) {
      const message = messages[index];
      if ('url' in source || message === undefined) continue;
      const fileId = fileIdOf(message, kinds[type]);
      if (fileId === undefined || this.#nameOf(type, source.blob) !== undefined) continue;
      this.#names.set(keyOf(type, source.blob), fileId);
      this.#unkept.push({ blob: source.blob, fileId });
    }
  }

  /** Telegram refused a name but does not say which, so all of them are forgotten. Returns whether there were any. */
  async forget(media: readonly SendMedia[]): Promise<boolean> {
    const named = media.flatMap(({ type, source }) => {
      if ('url' in source || this.#nameOf(type, source.blob) === undefined) return [];
      this.#names.set(keyOf(type, source.blob), undefined);
      return [source.blob];
    });
    await Promise.all(named.map((blob) => quietly(() => blob.forget())));
    return named.length > 0;
  }

  /** Keeps what was learnt for later sends. */
  async keep(): Promise<void> {
    const unkept = this.#unkept;
    this.#unkept = [];
    await Promise.all(unkept.map(({ blob, fileId }) => quietly(() => blob.keep(fileId))));
  }

  #nameOf(type: MediaType, blob: Blob): string | undefined {
    const key = keyOf(type, blob);
    return this.#names.has(key) ? this.#names.get(key) : blob.fileId;
  }
}

// The file_id of a photo does not work for a document of the same bytes.
function keyOf(type: MediaType, blob: Blob): string {
  return `${type} ${blob.blobRef}`;
}

/** A name that cannot be kept or forgotten must not fail the post. */
async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch {
    // A later send uploads the file once more.
  }
}
