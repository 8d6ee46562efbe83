// Files by the ids under which bots know them. An id belongs to one bot; the bytes are not kept.

import { createHash } from 'node:crypto';
import { type Refusal, refusal } from './refusals.ts';
import type { Bot, MediaKind } from './world.ts';

export interface StoredFile {
  readonly kind: MediaKind;
  /** The same for every bot. */
  readonly uniqueId: string;
  readonly size: number;
  readonly width: number;
  readonly height: number;
  readonly mime: string;
  readonly filename?: string | undefined;
  readonly sha256?: string;
  readonly url?: string;
  readonly head: Uint8Array;
}

export interface FileStore {
  /** The id under which the bot may send the file again. */
  idFor(bot: Bot, file: StoredFile, size?: string): string;
  /** Refuses a text that cannot be an id; undefined when it is not an id of this bot. */
  find(bot: Bot, id: string): StoredFile | undefined;
  /** Where the bot may download the file. */
  pathFor(bot: Bot, file: StoredFile): string;
  atPath(bot: Bot, path: string): StoredFile | undefined;
}

/** The first bytes of an id tell its kind; real ids begin with the same letters. */
const marks: Record<MediaKind, number> = {
  photo: 2,
  voice: 3,
  video: 4,
  document: 5,
  audio: 9,
  animation: 10,
};
const lastByte = 4;

const folders: Record<MediaKind, string> = {
  photo: 'photos',
  voice: 'voice',
  video: 'videos',
  document: 'documents',
  audio: 'music',
  animation: 'animations',
};

/** The names of file kinds in the server's error messages. */
export const fileTypes: Record<MediaKind, string> = {
  photo: 'Photo',
  voice: 'VoiceNote',
  video: 'Video',
  document: 'Document',
  audio: 'Audio',
  animation: 'Animation',
};

export function createFileStore(): FileStore {
  const byId = new Map<string, { readonly bot: number; readonly file: StoredFile }>();
  const byPath = new Map<string, StoredFile>();
  const paths = new Map<string, string>();
  return {
    idFor(bot, file, size = '') {
      const id = fileId(bot.user.id, file, size);
      byId.set(id, { bot: bot.user.id, file });
      return id;
    },
    find(bot, id) {
      checkShape(id);
      const known = byId.get(id);
      return known?.bot === bot.user.id ? known.file : undefined;
    },
    pathFor(bot, file) {
      const key = `${bot.user.id}/${file.uniqueId}`;
      const path = paths.get(key) ?? `${folders[file.kind]}/file_${paths.size}${extension(file)}`;
      paths.set(key, path);
      byPath.set(`${bot.user.id}/${path}`, file);
      return path;
    },
    atPath: (bot, path) => byPath.get(`${bot.user.id}/${path}`),
  };
}

export function uniqueId(kind: MediaKind, content: string): string {
  const digest = createHash('sha256').update(`${kind} ${content}`).digest();
  return Buffer.concat([
    Buffer.from([kind === 'photo' ? 1 : 2, 0, 3]),
    digest.subarray(0, 9),
  ]).toString('base64url');
}

function fileId(bot: number, file: StoredFile, size: string): string {
  const digest = createHash('sha256')
    .update(`${bot} ${file.uniqueId} ${file.kind} ${size}`)
    .digest();
  const tail = Buffer.from([file.kind.length, lastByte]);
  const bytes = Buffer.concat([
    Buffer.from([marks[file.kind], 0, 2, 2, 2, 0, 3, 25, 1, 0]),
    digest,
    tail,
  ]);
  return bytes.toString('base64url');
}

function extension(file: StoredFile): string {
  return (
    /\.[a-z0-9]{1,8}$/i.exec(file.filename ?? '')?.[0] ?? (file.kind === 'photo' ? '.jpg' : '')
  );
}

/** Refuses strings that cannot be an id, in the server's words. */
function checkShape(id: string): void {
  const [, body = '', padding = ''] = /^(.*?)(=*)$/s.exec(id) ?? [];
  if (padding.length > 2 || (padding !== '' && id.length % 4 !== 0))
    throw wrong('Wrong padding length');
  if (!/^[\w-]*$/.test(body)) throw wrong('Wrong character in the string');
  if (body.length % 4 === 1) throw wrong('Wrong string length');
  const bytes = Buffer.from(body, 'base64url');
  if (bytes.length < 4) throw wrong("can't unserialize it");
  if (bytes.at(-1) !== lastByte) throw wrong("can't unserialize it. Wrong last symbol");
}

function wrong(detail: string): Refusal {
  return refusal(`Wrong remote file identifier specified: ${detail}`);
}
