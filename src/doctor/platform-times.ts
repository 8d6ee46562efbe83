// Tells what time it is at the platforms. Each writes it into the Date header of an answer, after our request has left and
// before the answer comes.

import type { Transport } from '../http/transport.ts';

/** How many milliseconds a platform's clock is ahead of ours: between these two. Negative if it is behind. */
export interface PlatformTime {
  readonly platform: string;
  readonly aheadAtLeastMs: number;
  readonly aheadAtMostMs: number;
}

export interface WatchedTransport extends Transport {
  /** Undefined if nothing at this address has answered with its time. */
  timeAt(baseUrl: string): Omit<PlatformTime, 'platform'> | undefined;
}

/** A header tells whole seconds. */
const granularityMs = 1000;

/** `now` is the clock of this machine, in milliseconds. */
export function watchTimes(transport: Transport, now: () => number): WatchedTransport {
  const times = new Map<string, Omit<PlatformTime, 'platform'>>();
  return {
    async send(request) {
      const sentAt = now();
      const reply = await transport.send(request);
      const date = reply.kind === 'answered' ? Date.parse(reply.headers['date'] ?? '') : Number.NaN;
      const origin = URL.parse(request.url)?.origin;
      if (!Number.isNaN(date) && origin !== undefined) {
        times.set(origin, {
          aheadAtLeastMs: date - now(),
          aheadAtMostMs: date + granularityMs - sentAt,
        });
      }
      return reply;
    },
    close: () => transport.close(),
    timeAt(baseUrl) {
      const origin = URL.parse(baseUrl)?.origin;
      return origin === undefined ? undefined : times.get(origin);
    },
  };
}
