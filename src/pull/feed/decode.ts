// The text of a feed's bytes. A byte order mark is certain, so it comes first. Then the bytes decide as far as they can, because
// servers often name a charset for all files, and programs write a declaration that is no longer true: hardly any other text
// is sound UTF-8. Then counts what the server says about the charset, then what the document says about itself, then UTF-8.

import { MIMEType } from 'node:util';
import { FeedFault } from './feed-fault.ts';

export function decodeFeed(bytes: Uint8Array, contentType: string | undefined): string {
  const mark = byMark(bytes);
  if (mark !== undefined) return readable(bytes, mark) ?? notIn(mark);
  const sound = soundUtf8(bytes);
  if (sound !== undefined) return sound;
  const header = byHeader(contentType);
  const document = byDocument(bytes);
  if (header === undefined) {
    return readable(bytes, document ?? 'utf-8') ?? notIn(document);
  }
  const text = readable(bytes, header);
  if (text !== undefined) return text;
  return (document === undefined ? undefined : readable(bytes, document)) ?? notIn(header);
}

const marks: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
  // How < looks in UTF-16 without a mark.
  [[0x3c, 0x00], 'utf-16le'],
  [[0x00, 0x3c], 'utf-16be'],
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

/** A declaration that can be read byte by byte is not in UTF-16, whatever it says. */
function byDocument(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const named =
    /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/i.exec(head)?.[1] ??
    /<meta[^>]*?\scharset\s*=\s*["']?([^\s"'/>]+)/i.exec(head)?.[1];
  return /^\s*utf-?16/i.test(named ?? '') ? undefined : named;
}

/** Undefined also for ASCII, which says nothing about the charset. */
function soundUtf8(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return /[^\0-\x7f]/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** With � for what is broken; undefined when so much is broken that the charset must be another one. */
function readable(bytes: Uint8Array, charset: string): string | undefined {
  const text = decoderOf(charset).decode(bytes);
  // A text in another charset is full of what UTF-8 and UTF-16 cannot mean. The others can mean anything.
  return /^utf-?(8|16)/i.test(charset.trim()) && isMostlyBroken(text) ? undefined : text;
}

/** The share of a text that may be broken where hardly any letter but ASCII ones is sound. */
const tolerated = 1 / 100;

function isMostlyBroken(text: string): boolean {
  const broken = text.length - text.replaceAll('\uFFFD', '').length;
  if (broken <= Math.max(3, text.length * tolerated)) return false;
  const sound = text.length - text.replaceAll(/[^\0-\x7f]/g, '').length - broken;
  return broken > sound;
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    throw new FeedFault(
      `sends a feed in the charset "${charset.slice(0, 50)}", which is not known`,
    );
  }
}

function notIn(named: string | undefined): never {
  throw new FeedFault(
    named === undefined
      ? 'sends a feed that names no charset and is not in UTF-8'
      : `sends a feed that is not in the charset that it names (${named.slice(0, 50)})`,
  );
}
