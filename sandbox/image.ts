// What the first bytes of an upload tell about a picture.

export interface Picture {
  readonly mime: string;
  /** Undefined when the first bytes do not reach that far. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** Undefined when the bytes are not a picture. */
export function readPicture(head: Uint8Array): Picture | undefined {
  const bytes = Buffer.from(head);
  const starts = (mark: string) => bytes.toString('latin1', 0, mark.length) === mark;
  if (starts('\x89PNG\r\n\x1a\n')) return sized('image/png', bytes, 24, readPng);
  if (starts('GIF8')) return sized('image/gif', bytes, 10, readGif);
  if (starts('BM')) return sized('image/bmp', bytes, 26, readBmp);
  if (starts('\xff\xd8\xff')) return { mime: 'image/jpeg', ...frameOf(bytes) };
  if (starts('II*\0') || starts('MM\0*')) return { mime: 'image/tiff' };
  if (starts('RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP') return { mime: 'image/webp' };
  return undefined;
}

type Size = NonNullable<Picture['size']>;

function sized(
  mime: string,
  bytes: Buffer,
  needed: number,
  read: (bytes: Buffer) => Size,
): Picture {
  return bytes.length >= needed ? { mime, size: read(bytes) } : { mime };
}

function readPng(bytes: Buffer): Size {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): Size {
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function readBmp(bytes: Buffer): Size {
  return { width: bytes.readUInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) };
}

/** Walks the segments of a JPEG to the one that holds its size. */
function frameOf(bytes: Buffer): { size?: Size } {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { size: { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) } };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return {};
}
