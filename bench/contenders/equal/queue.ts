import type { Contender, PreparedQueue, Work } from '../../contender.ts';

/** A contender that keeps records as Outrider does, which the harness then counts. */
export interface EqualContender extends Contender {
  prepare(storeUrl: string): Promise<EqualQueue>;
}

/** `seed` takes each post for every channel, unless the channel knows it. */
export interface EqualQueue extends PreparedQueue {
  /** How many attempts were recorded from their start to their success. */
  sent(): Promise<number>;
  /** How many jobs were given up, with their error. */
  dead(): Promise<number>;
}

/** What is sent, and how often a delivery is tried. */
export interface Sends {
  readonly send: Work;
  readonly attempts: number;
}
