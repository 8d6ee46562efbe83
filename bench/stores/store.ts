import type { StoreName } from '../contender.ts';

/** A server that contenders use, started for this run only. */
export interface Store {
  readonly name: StoreName;
  /** Version and settings; stored with the results. */
  readonly description: Readonly<Record<string, string>>;
  /** Makes a database, empty or a copy of another, and returns its URL. */
  createDatabase(templateUrl?: string): Promise<string>;
  /** Lets a seeded database settle, with or without statistics, so every drain starts alike. */
  settle(databaseUrl: string, statistics: boolean): Promise<void>;
  dropDatabase(databaseUrl: string): Promise<void>;
  /** CPU that the server has used so far, all its processes together. */
  cpuMicros(): number;
  /** Bytes of log that the server has written so far for durability. */
  logBytes(): Promise<number>;
  stop(): Promise<void>;
}
