// What we read from a message that Telegram has made: its number, and the names of its files. Only the number must
// be there; files of an unknown shape are uploaded again next time.

import { z } from 'zod';

const File = z.object({ file_id: z.string().min(1) });
const PhotoSize = File.extend({ width: z.number(), height: z.number() });
const file = File.optional().catch(undefined);

export const SentMessage = z.object({
  message_id: z.int().positive(),
  photo: z.array(PhotoSize).optional().catch(undefined),
  video: file,
  audio: file,
  animation: file,
  document: file,
  voice: file,
});

export type SentMessage = z.output<typeof SentMessage>;

type FileKind = Exclude<keyof SentMessage, 'message_id'>;

// Telegram looks into a file and may change its kind: a video without sound becomes an animation.
const others = ['animation', 'video', 'audio', 'voice', 'document'] as const;

/** The file_id under which the file can be sent again; for a photo, that of its largest size. */
export function fileIdOf(message: SentMessage, kind: FileKind): string | undefined {
  if (kind === 'photo') {
    const sizes = message.photo ?? [];
    return sizes.toSorted((one, other) => area(other) - area(one))[0]?.file_id;
  }
  const found = message[kind] ?? others.map((other) => message[other]).find(Boolean);
  return found?.file_id;
}

function area({ width, height }: z.output<typeof PhotoSize>): number {
  return width * height;
}
