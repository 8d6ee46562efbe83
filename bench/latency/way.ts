import type { StoreName, Work } from '../contender.ts';
import type { Post } from '../post.ts';

/** A way from a push to the provider. The bench is the process that pushes; another process sends. */
export interface Way {
  readonly name: string;
  readonly store: StoreName;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Installs what is needed in an empty database and starts the process that sends. */
  prepare(storeUrl: string, providerUrl: string): Promise<Pusher>;
}

/** The part of a peer's way that runs in the sending process. */
export interface SendingPart {
  /** Adds a job for the front. Resolves when the store has it. */
  readonly take: Work;
  stop(): Promise<void>;
}

export interface Pusher {
  /** Resolves when the post has been stored. */
  push(post: Post): Promise<void>;
  close(): Promise<void>;
}
