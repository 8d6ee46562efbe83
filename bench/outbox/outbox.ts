import type { Topic } from './topic.ts';

/** One outbox in the comparison: ours or a peer's. */
export interface Outbox {
  readonly name: string;
  /** Everything that was chosen for speed; kept with the results. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Installs the schema in an empty database. */
  prepare(databaseUrl: string, topic: Topic): Promise<PreparedOutbox>;
}

export interface PreparedOutbox {
  /** Writes `count` events to publish. */
  seed(count: number): Promise<void>;
  /** Starts one publisher. It calls back with each event that the broker has stored. */
  start(onStored: (eventId: string) => void): Promise<void>;
  /** An event in a transaction of its own that is ready to be committed. */
  emit(): Promise<OpenEvent>;
  /** How many are not marked as published. */
  remaining(): Promise<number>;
  close(): Promise<void>;
}

export interface OpenEvent {
  readonly eventId: string;
  commit(): Promise<void>;
}
