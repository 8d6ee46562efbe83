// A cursor that the database takes: of at most 64 KiB, with nothing in it that PostgreSQL cannot keep. A cursor that is too
// large would fail at every look for good, so it forgets what can be found out again: first the version of the file, then the
// items that were handed out longest ago, which the receipts know.

import { digestWidth } from './seen-items.ts';
import type { Cursor } from './source.ts';
import { storable, storableText } from './storable.ts';

/** Less than the 64 KiB that the database allows: it writes spaces into what it keeps. */
const mostBytes = 64_000;

export function soundCursor(cursor: Cursor): Cursor {
  const kept: Record<string, unknown> = Object.fromEntries(
    Object.entries(cursor).map(([name, value]) => [storableText(name), storable(value)]),
  );
  for (const name of ['etag', 'last_modified']) if (excess(kept) > 0) delete kept[name];
  const { seen } = kept;
  const over = excess(kept);
  if (over <= 0 || typeof seen !== 'string') return kept;
  const most = Math.max(0, Math.floor((seen.length - over) / digestWidth));
  return { ...kept, seen: seen.slice(0, most * digestWidth) };
}

function excess(cursor: Cursor): number {
  return Buffer.byteLength(JSON.stringify(cursor)) - mostBytes;
}
