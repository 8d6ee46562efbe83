import type { Post } from './post.ts';

/** What a handler does with a job. */
export type Work = (post: Post) => Promise<void>;

/** The servers of the bench. The two Redis instances differ only in durability. NATS is a broker to publish to. */
export type StoreName = 'postgres' | RedisName | 'nats';
export type RedisName = 'redis-durable' | 'redis-volatile';

/**
 * One queue in the comparison: ours or a peer.
 *
 * In a round the bench calls prepare → seed → drain → remaining → close, on a store that nobody has used before. Only
 * `drain` is measured.
 */
export interface Contender {
  readonly name: string;
  readonly store: StoreName;
  /** Everything that was chosen for speed; printed and stored with the results. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Installs the schema and opens what the worker needs. */
  prepare(storeUrl: string): Promise<PreparedQueue>;
}

export interface PreparedQueue {
  /** Queues `count` posts that are due at once, with the usual text or another. */
  seed(count: number, text?: string): Promise<void>;
  /** Runs one worker until all `count` are done and the store has acknowledged it. */
  drain(count: number): Promise<void>;
  /** How many are not done; the harness rejects a round where this is not zero. */
  remaining(): Promise<number>;
  close(): Promise<void>;
}
