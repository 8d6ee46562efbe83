// Tells the type of a medium by its first bytes: what a sender claims about a file proves nothing.

interface Signature {
  readonly type: string;
  readonly at: number;
  readonly bytes: readonly number[];
}

const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];

const signatures: readonly Signature[] = [
  { type: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', at: 0, bytes: [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a] },
  { type: 'image/gif', at: 0, bytes: ascii('GIF8') },
  { type: 'image/webp', at: 8, bytes: ascii('WEBP') },
  { type: 'image/bmp', at: 0, bytes: ascii('BM') },
  { type: 'image/tiff', at: 0, bytes: [...ascii('II'), 0x2a, 0x00] },
  { type: 'image/tiff', at: 0, bytes: [...ascii('MM'), 0x00, 0x2a] },
  { type: 'image/heic', at: 4, bytes: ascii('ftyphei') },
  { type: 'image/heic', at: 4, bytes: ascii('ftypmif1') },
  { type: 'image/avif', at: 4, bytes: ascii('ftypavi') },
  { type: 'audio/mp4', at: 4, bytes: ascii('ftypM4A') },
  { type: 'audio/mp4', at: 4, bytes: ascii('ftypM4B') },
  { type: 'video/quicktime', at: 4, bytes: ascii('ftypqt') },
  { type: 'video/mp4', at: 4, bytes: ascii('ftyp') },
  { type: 'video/webm', at: 0, bytes: [0x1a, 0x45, 0xdf, 0xa3] },
  { type: 'video/x-msvideo', at: 8, bytes: ascii('AVI ') },
  { type: 'audio/mpeg', at: 0, bytes: ascii('ID3') },
  { type: 'audio/mpeg', at: 0, bytes: [0xff, 0xfb] },
  { type: 'audio/mpeg', at: 0, bytes: [0xff, 0xfa] },
  { type: 'audio/mpeg', at: 0, bytes: [0xff, 0xf3] },
  { type: 'audio/mpeg', at: 0, bytes: [0xff, 0xf2] },
  { type: 'audio/aac', at: 0, bytes: [0xff, 0xf1] },
  { type: 'audio/aac', at: 0, bytes: [0xff, 0xf9] },
  { type: 'audio/ogg', at: 0, bytes: ascii('OggS') },
  { type: 'audio/flac', at: 0, bytes: ascii('fLaC') },
  { type: 'audio/wav', at: 8, bytes: ascii('WAVE') },
  { type: 'application/pdf', at: 0, bytes: ascii('%PDF-') },
  { type: 'application/zip', at: 0, bytes: [...ascii('PK'), 0x03, 0x04] },
];

/** How texts begin, in lower case and after any white space, and the type that this shows. */
const beginnings: readonly (readonly [string, string])[] = [
  ['<!doctype html', 'text/html'],
  ['<html', 'text/html'],
  ['<head', 'text/html'],
  ['<body', 'text/html'],
  ['<script', 'text/html'],
  ['<!--', 'text/html'],
  ['<!doctype svg', 'image/svg+xml'],
  ['<svg', 'image/svg+xml'],
  ['<?xml', 'application/xml'],
];

/** Enough of a file to tell its type. */
export const headBytes = 32;

export function contentTypeOf(head: Uint8Array): string {
  const found = signatures.find(({ at, bytes }) =>
    bytes.every((byte, index) => head[at + index] === byte),
  );
  return found?.type ?? textTypeOf(head) ?? 'application/octet-stream';
}

function textTypeOf(head: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(head).trimStart().toLowerCase();
  return beginnings.find(([beginning]) => text.startsWith(beginning))?.[1];
}
