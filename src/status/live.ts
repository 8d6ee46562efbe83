// Sends what changes on the page to browsers, as server-sent events: `data: [{"id": …, "html": …}]` has the new markup of elements.
// A browser that cannot keep up is disconnected, and connects again by itself.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { blank, type Drawings } from './drawings.ts';
import type { View } from './pages/links.ts';
import { type Seen, versionOf } from './pages/overview.ts';
import type { Readings } from './readings.ts';

export interface LiveOptions {
  readonly readings: Readings;
  readonly drawings: Drawings;
  readonly clock: Clock;
  /** The most browsers at once. */
  readonly most: number;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  readonly aliveEveryMs?: number | undefined;
}

export interface Viewer {
  readonly response: ServerResponse;
  readonly view: View;
  /** What the browser has already. */
  readonly version: string | undefined;
  /** Asked again from time to time: a token may change. */
  readonly isAdmitted: () => Promise<boolean>;
}

export interface Live {
  /** False if there is no room, or if the server stops. */
  show(viewer: Viewer): boolean;
}

/** Shorter than the minute after which proxies close a silent connection. */
const usualAliveMs = 15_000;
const mostUnread = 1024 * 1024;
const head = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no',
  // It is over when the stream is, so that a server which stops need not wait for it.
  connection: 'close',
} as const;

export function createLive(options: LiveOptions): Live {
  const { readings, drawings, clock, most, stopping, aliveEveryMs = usualAliveMs } = options;
  let viewers = 0;

  return {
    show(viewer) {
      if (viewers >= most || stopping.aborted) return false;
      viewers += 1;
      void serve(viewer).finally(() => {
        viewers -= 1;
      });
      return true;
    },
  };

  function serve({ response, view, version, isAdmitted }: Viewer): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    let sent = blank;
    let callOff: (() => void) | undefined;

    function tell(seen: Seen): void {
      const drawn = drawings.of(seen, view);
      const isKnown = sent === blank && versionOf(drawn) === version;
      const step = isKnown ? undefined : drawings.step(sent, drawn);
      sent = drawn;
      if (step !== undefined) write(step);
    }

    function write(event: string | Buffer): void {
      // The stream has ended, but a browser that reads slowly has not received all of it yet.
      if (response.writableEnded) return;
      if (response.writableLength > mostUnread) response.destroy();
      else response.write(event);
    }

    function stayAlive(): void {
      callOff = clock.after(aliveEveryMs, () => {
        void isAdmitted().then((isStill) => {
          if (!isStill) return response.end();
          write(': alive\n\n');
          return stayAlive();
        });
      });
    }

    const end = (): void => void response.end();
    response.writeHead(200, head);
    write('retry: 2000\n\n');
    const leave = readings.follow(view, tell);
    readings.latest(view).then(tell, end);
    stayAlive();
    stopping.addEventListener('abort', end, { once: true });
    response.once('close', () => {
      callOff?.();
      leave();
      stopping.removeEventListener('abort', end);
      resolve();
    });
    return over;
  }
}
