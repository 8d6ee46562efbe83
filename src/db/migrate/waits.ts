// Says for whom a session waits, so that somebody who starts Outrider does not look at a silent terminal. It asks on
// a connection of its own, because the one that waits cannot ask.

import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import { openClient, type Queryable } from '../pool.ts';
import { queryRow, queryRows } from '../query-rows.ts';

export interface Waits {
  /** For whom the session waits, as far as it is known. */
  words(): string;
  stop(): Promise<void>;
}

export interface WaitsOptions {
  readonly url: string;
  /** The session that may wait. */
  readonly client: pg.Client;
  /** Called once for each session that is waited for. */
  readonly onWait: (words: string) => void;
}

/** The name of a session that migrates. */
export const migrating = 'outrider migrate';

const lookEveryMs = 1000;

const Blocker = z.object({
  pid: z.number(),
  login: z.string().nullable(),
  application: z.string().nullable(),
  since: z.string().nullable(),
});

export function watchWaits({ url, client, onWait }: WaitsOptions): Waits {
  const stopping = new AbortController();
  const known = new Set<number>();
  let words = 'another session holds a lock that it needs';

  async function run(): Promise<void> {
    const { pid } = await queryRow(client, z.object({ pid: z.number() }), backend);
    await delay(lookEveryMs, undefined, stopping);
    const watcher = await openClient({ url, applicationName: 'outrider waits' });
    try {
      for (;;) {
        for (const blocker of await blockersOf(watcher, pid)) {
          words = inWords(blocker);
          if (!known.has(blocker.pid)) onWait(words);
          known.add(blocker.pid);
        }
        await delay(lookEveryMs, undefined, stopping);
      }
    } finally {
      await watcher.end();
    }
  }

  // When this fails, the session goes on; nobody is told for whom it waits.
  const running = run().catch(() => undefined);
  return {
    words: () => words,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const backend = 'select pg_backend_pid() as pid';

function blockersOf(watcher: Queryable, pid: number): Promise<z.output<typeof Blocker>[]> {
  return queryRows(
    watcher,
    Blocker,
    `select pid, usename::text as login, application_name as application,
            to_char(xact_start at time zone 'UTC', 'HH24:MI:SS') as since
     from pg_catalog.pg_stat_activity where pid = any (pg_catalog.pg_blocking_pids($1))`,
    [pid],
  );
}

function inWords({ pid, login, application, since }: z.output<typeof Blocker>): string {
  const who = [`process ${pid}`, `login ${login ?? '?'}`];
  const isMigration = application === migrating;
  if (!isMigration && application !== null && application !== '') {
    who.push(`application "${application}"`);
  }
  if (since !== null) who.push(`in a transaction since ${since} UTC`);
  const what = isMigration
    ? 'another Outrider that brings the database up to date:'
    : 'a lock that is held by';
  return `waiting for ${what} ${who.join(', ')}`;
}
