import { createHash } from 'node:crypto';

/** The longest name of an update that the inbox takes. */
const longest = 256;

/** The platform's name for something, or a hash of it when the inbox would not take it. */
export function shortId(id: string): string {
  if (id.length <= longest) return id;
  return `sha256:${createHash('sha256').update(id).digest('hex')}`;
}
