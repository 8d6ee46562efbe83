// The text of a feed's bytes. What the server says about the charset comes first, then a byte order mark, then what the
// document says about itself, then UTF-8. A mark is certain, so it wins over a server that contradicts it.

import { MIMEType } from 'node:util';
import { FeedFault } from './feed-fault.ts';

export function decodeFeed(bytes: Uint8Array, contentType: string | undefined): string {
  const named = byMark(bytes) ?? byHeader(contentType) ?? byDocument(bytes);
  const decoder = decoderOf(named ?? 'utf-8');
  try {
    return decoder.decode(bytes);
  } catch {
    // Only UTF-8 and UTF-16 are strict. Many feeds hold a few broken bytes, and a text in another charset is full of them.
    return lenient(bytes, named);
  }
}

const marks: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];

function byMark(bytes: Uint8Array): string | undefined {
  return marks.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1];
}

function byHeader(contentType: string | undefined): string | undefined {
  if (contentType === undefined) return undefined;
  try {
    return new MIMEType(contentType).params.get('charset') ?? undefined;
  } catch {
    return /charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType)?.[1];
  }
}

/** How `<?` looks in UTF-16 without a mark. */
const wide: readonly (readonly [start: readonly number[], charset: string])[] = [
  [[0x3c, 0x00, 0x3f, 0x00], 'utf-16le'],
  [[0x00, 0x3c, 0x00, 0x3f], 'utf-16be'],
];

function byDocument(bytes: Uint8Array): string | undefined {
  const found = wide.find(([start]) => start.every((byte, index) => bytes[index] === byte));
  if (found !== undefined) return found[1];
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return (
    /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/i.exec(head)?.[1] ??
    /<meta[^>]*?\scharset\s*=\s*["']?([^\s"'/>]+)/i.exec(head)?.[1]
  );
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  const isUnicode = /^utf-?(8|16)/i.test(charset.trim());
  try {
    return new TextDecoder(charset, { fatal: isUnicode });
  } catch {
    throw new FeedFault(
      `sends a feed in the charset "${charset.slice(0, 50)}", which is not known`,
    );
  }
}

/** One broken character in a thousand is shown as a replacement; more mean that the charset is another one. */
const tolerated = 1 / 1000;

function lenient(bytes: Uint8Array, named: string | undefined): string {
  const text = new TextDecoder(named ?? 'utf-8').decode(bytes);
  const broken = text.length - text.replaceAll('\uFFFD', '').length;
  if (broken <= Math.max(3, text.length * tolerated)) return text;
  throw new FeedFault(
    named === undefined
      ? 'sends a feed that names no charset and is not in UTF-8'
      : `sends a feed that is not in the charset that it names (${named.slice(0, 50)})`,
  );
}
