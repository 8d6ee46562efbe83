// Which items of a list have been handed out. A feed or a list of an API shows the same items at every look, and an order
// that moves. So the cursor keeps a short digest of each item of the list that was handed out, and the next look
// brings the others. What the digests forget comes again, and the database takes it once.

import { createHash } from 'node:crypto';

/** 72 bits in 12 characters: one in 10^18 pairs of items would be taken for each other. */
export const digestWidth = 12;

/** As many as fit into a cursor, which has 64 KiB, with room for other things. */
export const mostSeen = 5000;

export class SeenItems {
  readonly #digests: ReadonlySet<string>;

  private constructor(digests: Iterable<string>) {
    this.#digests = new Set([...digests].slice(0, mostSeen));
  }

  /** What a cursor keeps; whatever else it holds counts as nothing. */
  static read(kept: unknown): SeenItems {
    const text = typeof kept === 'string' ? kept : '';
    return new SeenItems(text.match(new RegExp(`.{${digestWidth}}`, 'g')) ?? []);
  }

  has(itemRef: string): boolean {
    return this.#digests.has(digestOf(itemRef));
  }

  /** Adds items. When there are too many, those that were there before are forgotten. */
  with(itemRefs: readonly string[]): SeenItems {
    return new SeenItems([...itemRefs.map(digestOf), ...this.#digests]);
  }

  /** Without those that were added last. */
  withoutNewest(count: number): SeenItems {
    return new SeenItems([...this.#digests].slice(count));
  }

  /** For the cursor. */
  written(): string {
    return [...this.#digests].join('');
  }
}

function digestOf(itemRef: string): string {
  return createHash('sha256').update(itemRef).digest('base64url').slice(0, digestWidth);
}
