// What a request is answered with.

import type { Facts } from '../log.ts';
import type { KeptPost } from '../observer.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For the request's line in the log. */
  readonly facts?: Facts | undefined;
  /** The post that was kept, for who observes. */
  readonly kept?: KeptPost | undefined;
}
