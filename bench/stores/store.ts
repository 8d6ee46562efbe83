import type { StoreName } from '../contender.ts';

/** A server that contenders stand on, started for this run only. */
export interface Store {
  readonly name: StoreName;
  /** Version and settings; stored with the results. */
  readonly description: Readonly<Record<string, string>>;
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Brings a seeded database to rest, so that the drain starts alike for everyone. */
  settle(databaseUrl: string): Promise<void>;
  dropDatabase(databaseUrl: string): Promise<void>;
  /** CPU that the server has used so far, all its processes together. */
  cpuMicros(): number;
  /** Bytes of log that the server has written so far for durability. */
  logBytes(): Promise<number>;
  stop(): Promise<void>;
}
