import type { Post } from '../post.ts';

/** Takes plain posts to one channel in and claims them, one by one. The CPU of each backend is measured separately. */
export interface PlainTaker {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  prepare(databaseUrl: string): Promise<PreparedPlainTaker>;
}

export interface PreparedPlainTaker {
  /** Takes one post in, then claims it. */
  takeAndClaim(post: Post): Promise<void>;
  /** Ends what was claimed, on a connection that is not measured. */
  finish(): Promise<void>;
  /** CPU so far of the backend that takes in and of the one that claims. */
  cpu(): PlainCpu;
  close(): Promise<void>;
}

export interface PlainCpu {
  readonly pushNanos: number;
  readonly claimNanos: number;
}
