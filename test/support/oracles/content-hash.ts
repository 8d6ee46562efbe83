// A second implementation of the content hash. Tests compare the SQL function with it.

import { createHash } from 'node:crypto';
import { z } from 'zod';

const mediaItem = z.object({
  type: z.string(),
  blob_ref: z.string().optional(),
  url: z.string().optional(),
  caption: z.string().optional(),
});

/** The SHA-256 of a normalised payload, in hex. */
export function contentHash(payload: Readonly<Record<string, unknown>>): string {
  const { media, ...rest } = payload;
  const hashed = media === undefined ? rest : { ...rest, media: fingerprints(media) };
  return createHash('sha256').update(jsonbText(hashed), 'utf8').digest('hex');
}

/** The fields of each media item that count. */
function fingerprints(media: unknown): unknown[] {
  return z
    .array(mediaItem)
    .parse(media)
    .map(({ type, blob_ref, url, caption }) => ({
      type,
      ...(blob_ref === undefined ? { url } : { blob_ref }),
      ...(caption === undefined ? {} : { caption }),
    }));
}

/** A value as jsonb writes it: shorter keys first, keys of the same length by their bytes. */
function jsonbText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => [Buffer.from(key), `${JSON.stringify(key)}: ${jsonbText(inner)}`] as const,
  );
  entries.sort(([a], [b]) => a.length - b.length || Buffer.compare(a, b));
  return `{${entries.map(([, text]) => text).join(', ')}}`;
}
