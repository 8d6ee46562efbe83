import type { StoreName } from '../contender.ts';
import type { Post } from '../post.ts';

/** A way from a push to the provider: a process that pushes, which is the bench, and one that sends. */
export interface Way {
  readonly name: string;
  readonly store: StoreName;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Installs what is needed in an empty database and starts the process that sends. */
  prepare(storeUrl: string, providerUrl: string): Promise<Pusher>;
}

export interface Pusher {
  /** Resolves when the post is taken in for good. */
  push(post: Post): Promise<void>;
  close(): Promise<void>;
}
