// Reads the text of a post from the bytes of a request. What a post may hold is not judged here.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { jsonBreak, type Place, placeIn } from './json-break.ts';
import { isNestedTooDeeply } from './nesting.ts';
import { type Refusal, refuse } from './refusal.ts';

export type ReadPost =
  | { readonly ok: true /** A JSON object. */; readonly text: string }
  | { readonly ok: false; readonly refusal: Refusal };

const decoder = new TextDecoder();

export function readPost(raw: IncomingMessage, bytes: Buffer): ReadPost {
  const mislabelled = labelFault(raw);
  if (mislabelled !== undefined) {
    return refused(
      refuse('unsupported_media_type', mislabelled, {
        hint: 'send the post with content-type: application/json, in UTF-8 and not packed',
      }),
    );
  }
  if (bytes.byteLength === 0) {
    return refused(refuse('malformed_json', 'the body is empty; it must be a post as JSON'));
  }
  if (!isUtf8(bytes)) return refused(notUtf8(garbledAt(bytes)));
  const text = decoder.decode(bytes);
  const value = valueOf(text);
  if (value === undefined) return refused(notJson(jsonBreak(text)));
  const kind = kindOf(value.json);
  if (kind !== 'an object') {
    return refused(refuse('post_refused', `a post must be an object, not ${kind}`));
  }
  if (isNestedTooDeeply(value.json)) {
    return refused(refuse('post_refused', 'the post is nested too deeply'));
  }
  return { ok: true, text };
}

function refused(refusal: Refusal): ReadPost {
  return { ok: false, refusal };
}

/** What is wrong with the headers about the body. */
function labelFault(raw: IncomingMessage): string | undefined {
  if (isPacked(raw)) return 'the body is packed (content-encoding)';
  // As they were sent; the server has put its own into `headers`.
  const types = raw.headersDistinct['content-type'] ?? [];
  const [given, ...more] = types;
  if (given === undefined) return 'the request has no content-type';
  if (more.length > 0) return 'the request has several content-types';
  if (given === 'application/json') return undefined; // as nearly all say it
  const type = mimeOf(given);
  if (type === undefined) return 'the content-type of the request cannot be read';
  if (!/^application\/(json|[\w.-]+\+json)$/.test(type.essence)) {
    return `the content-type of the request is ${type.essence.slice(0, 100)}`;
  }
  const charset = type.params.get('charset') ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) return `the charset of the request is ${charset.slice(0, 100)}`;
  return undefined;
}

/** Whether the bytes of the body are not those that the sender means. */
export function isPacked({ headers }: IncomingMessage): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

function mimeOf(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined;
  }
}

function valueOf(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function notJson(place: Place | undefined): Refusal {
  const where = place === undefined ? '' : ` at line ${place.line}, column ${place.column}`;
  return refuse('malformed_json', `the body is not JSON: it breaks${where}`, {
    hint: 'quotes inside of texts are written \\", line feeds \\n',
  });
}

function notUtf8(place: Place): Refusal {
  return refuse(
    'malformed_json',
    `the body is not UTF-8: line ${place.line}, column ${place.column} is no character`,
    { hint: 'JSON is always sent in UTF-8' },
  );
}

/** Decoding replaces invalid bytes with U+FFFD, so encoding again differs from the original there. */
function garbledAt(bytes: Buffer): Place {
  const again = Buffer.from(bytes.toString('utf8'), 'utf8');
  const before = bytes.subarray(
    0,
    again.findIndex((byte, index) => byte !== bytes[index]),
  );
  return placeIn(before.toString('utf8'), before.byteLength);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
