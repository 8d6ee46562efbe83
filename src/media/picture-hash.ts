// What a picture looks like, as 64 bits: of nine columns and eight rows of brightness, whether each place is brighter
// than the next one to its right (a difference hash). Pictures that were scaled or saved anew differ in few bits.
//
// Whoever posts chooses the bytes, so they are bounded before and while they are decoded: by type, by size, by pixels and
// by time. sharp decodes them outside of the event loop, with libraries that are tried against hostile files all the time.

import { loadOptional } from '../optional-package.ts';

const columns = 9;
const rows = 8;
/** The size from which it is made so small: a JPEG that is scaled down while it is read comes out differently. */
const side = 256;
const maxBytes = 20 * 1024 * 1024;
const maxPixels = 50_000_000;
const maxSeconds = 5;
const types = /^image\/(?:jpeg|png|webp|gif)$/;

/** Whether a file of this type and size is looked at. */
export function isPicture(file: {
  readonly contentType: string;
  readonly sizeBytes: number;
}): boolean {
  return types.test(file.contentType) && file.sizeBytes <= maxBytes;
}

/** 16 hex digits; undefined when the bytes are no picture that can be read. Throws when sharp is not installed. */
export async function pictureHashOf(bytes: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const sharp = await loadSharp();
  const whole = await gathered(bytes);
  if (whole === undefined) return undefined;
  try {
    const { data, info } = await sharp(whole, { limitInputPixels: maxPixels, failOn: 'truncated' })
      .autoOrient()
      .flatten({ background: 'white' })
      .toColourspace('b-w')
      .resize(side, side, { fit: 'inside', withoutEnlargement: true, fastShrinkOnLoad: false })
      .raw()
      .timeout({ seconds: maxSeconds })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const brightness = await sharp(data, { raw: { width, height, channels } })
      .resize(columns, rows, { fit: 'fill', kernel: 'mitchell' })
      .toColourspace('b-w')
      .raw()
      .toBuffer();
    return hashOf(brightness);
  } catch {
    return undefined;
  }
}

/** The package that decodes pictures; the error says how to install it. */
export async function loadSharp() {
  const { default: sharp } = await loadOptional(
    'comparing pictures',
    ['sharp'],
    () => import('sharp'),
  );
  return sharp;
}

async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function hashOf(brightness: Uint8Array): string {
  let bits = 0n;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns - 1; column += 1) {
      const at = row * columns + column;
      const isBrighter = (brightness[at] ?? 0) > (brightness[at + 1] ?? 0);
      bits = (bits << 1n) | (isBrighter ? 1n : 0n);
    }
  }
  return bits.toString(16).padStart(16, '0');
}
