// The pages that are open: each is told of the parts that have changed, by server-sent events.

import type { ServerResponse } from 'node:http';
import type { Part } from './parts.ts';

export interface Listeners {
  /** Keeps a connection and tells it everything. `mayAct` as its page was drawn. */
  add(response: ServerResponse, mayAct: boolean): void;
  /** Tells each connection what has changed since it was last told. */
  tell(): void;
  readonly count: number;
  close(): void;
}

interface Listener {
  readonly response: ServerResponse;
  readonly mayAct: boolean;
  /** What its page shows, by part. */
  readonly told: Map<string, string>;
}

/** What a connection may leave unread before it is given up: the page comes back by itself and is told everything. */
const mostUnread = 8 * 1024 * 1024;

export function createListeners(draw: (mayAct: boolean) => Part[]): Listeners {
  const listeners = new Set<Listener>();

  function tellOne({ response, told }: Listener, parts: readonly Part[]): void {
    for (const { name, html, group } of parts.filter((each) => told.get(each.name) !== each.html)) {
      told.set(name, html);
      response.write(`data: ${JSON.stringify({ name, html, group })}\n\n`);
    }
    if (response.writableLength > mostUnread) response.destroy();
  }

  return {
    get count() {
      return listeners.size;
    },
    add(response, mayAct) {
      const listener = { response, mayAct, told: new Map<string, string>() };
      listeners.add(listener);
      response.on('close', () => listeners.delete(listener));
      response.write('retry: 1000\n\n');
      tellOne(listener, draw(mayAct));
    },
    tell() {
      for (const mayAct of [true, false]) {
        const those = [...listeners].filter((each) => each.mayAct === mayAct);
        if (those.length === 0) continue;
        const parts = draw(mayAct);
        for (const listener of those) tellOne(listener, parts);
      }
    },
    close() {
      for (const { response } of listeners) response.end();
    },
  };
}
