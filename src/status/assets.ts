// The files that pages refer to. Their addresses change with their content, so a browser may keep them for ever.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Asset {
  readonly path: string;
  /** The path with a mark of the content. */
  readonly url: string;
  readonly type: string;
  readonly bytes: Buffer;
}

function assetOf(name: string, type: string): Asset {
  const bytes = readFileSync(new URL(`assets/${name}`, import.meta.url));
  const mark = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const path = `/status/${name}`;
  return { path, url: `${path}?v=${mark}`, type, bytes };
}

export const assets = {
  style: assetOf('style.css', 'text/css; charset=utf-8'),
  script: assetOf('live.js', 'text/javascript; charset=utf-8'),
  icon: assetOf('icon.svg', 'image/svg+xml'),
} as const;
