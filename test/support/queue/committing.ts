// Commits the outcomes of claimed deliveries, over connections that a test can block or cut.

import { inject, vi } from 'vitest';
import { z } from 'zod';
import { type ClaimedDelivery, claimDeliveries } from '../../../src/db/claim.ts';
import type { Outcome, Verdict } from '../../../src/db/commit.ts';
import { openPool, type Queryable } from '../../../src/db/pool.ts';
import { queryRow } from '../../../src/db/query-rows.ts';
import { type Committer, createCommitter } from '../../../src/dispatch/committer.ts';
import { createLog } from '../../../src/log.ts';
import { addChannel, addDelivery, addWorkspace } from '../database/seed.ts';
import { openSessions, type Session } from '../database/sessions.ts';
import { addressOf, type TestDatabase } from '../database/test-database.ts';
import { WatchedClient } from '../database/watched-client.ts';
import { startTcpProxy, type TcpProxy } from '../http/tcp-proxy.ts';

const Row = z.object({
  status: z.string(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  provider_message_id: z.string().nullable(),
});

/** One test's workspace and committer. */
export class Committing {
  readonly workspaceId: string;
  /** The log of the committer. */
  readonly lines: string[] = [];
  readonly #database: TestDatabase;
  readonly #sessions = openSessions();
  readonly #undo: (() => unknown)[] = [];

  private constructor(database: TestDatabase, workspaceId: string) {
    this.#database = database;
    this.workspaceId = workspaceId;
  }

  static async open(database: TestDatabase, workspaceId: string): Promise<Committing> {
    await addWorkspace(database.admin, workspaceId);
    await addChannel(database.admin, workspaceId, 'news');
    return new Committing(database, workspaceId);
  }

  committerOn(client: Queryable, batch?: number): [Committer, WatchedClient] {
    const watched = new WatchedClient(client);
    const log = createLog({
      level: 'debug',
      pretty: false,
      write: (line) => this.lines.push(line),
    });
    const backoff = { baseMs: 10, capMs: 50 };
    return [createCommitter({ client: watched, log, batch, backoff }), watched];
  }

  /** Adds deliveries and claims them. */
  async claimed(number: number): Promise<ClaimedDelivery[]> {
    const { workspaceId } = this;
    for (let made = 0; made < number; made += 1) {
      const columns = { created_at: new Date().toISOString() };
      await addDelivery(this.#database.admin, workspaceId, 'news', columns);
    }
    const request = { workspaceId, runId: 'run', limit: 100 };
    const held = await claimDeliveries(this.#database.service, request);
    if (held.length !== number) throw new Error(`${held.length} of ${number} were claimed`);
    return held;
  }

  async claimedOne(): Promise<ClaimedDelivery> {
    const [one] = await this.claimed(1);
    if (one === undefined) throw new Error('nothing was claimed');
    return one;
  }

  /** Commits the outcomes while the delivery of the first is locked; answers when that commit waits. */
  async commitBehindLock(
    committer: Committer,
    outcomes: readonly Outcome[],
  ): Promise<[Session, Promise<(Verdict | undefined)[]>]> {
    const session = await this.#sessions.open(this.#database.admin);
    const text = 'select from outrider.deliveries where delivery_id = $1 for update';
    await session.client.query(text, [outcomes[0]?.deliveryId]);
    const verdicts = outcomes.map((outcome) => committer.commit(this.workspaceId, outcome));
    await this.commitsToWait(1);
    return [session, Promise.all(verdicts)];
  }

  /** Waits until that many commits wait for a lock. */
  async commitsToWait(number: number): Promise<void> {
    const text = `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ~ 'commit_(outcomes|sent)'`;
    await vi.waitFor(async () => {
      const row = z.object({ waiting: z.number() });
      const { waiting } = await queryRow(this.#database.admin, row, text);
      if (waiting !== number) throw new Error(`${waiting} commits wait for a lock`);
    }, 30_000);
  }

  /** Connections through a proxy that can cut them. */
  async throughProxy(): Promise<{ proxy: TcpProxy; client: Queryable }> {
    const { serviceLogin, servicePassword } = inject('postgres');
    const { url, name } = this.#database;
    const proxy = await startTcpProxy(addressOf(url, name, serviceLogin, servicePassword));
    const client = openPool({ url: proxy.url, applicationName: 'committer test', max: 2 });
    this.#undo.push(
      () => proxy.close(),
      () => client.end(),
    );
    return { proxy, client };
  }

  async rowOf({ deliveryId }: ClaimedDelivery): Promise<z.output<typeof Row>> {
    return queryRow(
      this.#database.admin,
      Row,
      `select status::text, last_error ->> 'code' as code, last_error ->> 'message' as message,
              provider_message_id
       from outrider.deliveries where delivery_id = $1`,
      [deliveryId],
    );
  }

  async close(): Promise<void> {
    await this.#sessions.endAll();
    for (const step of this.#undo.splice(0).toReversed()) await step();
  }
}

/** How many outcomes each commit had. */
export function sizesOf(watched: WatchedClient): number[] {
  return watched.calls
    .filter(({ name }) => name === 'commit_outcomes' || name === 'commit_sent')
    .map(({ name, args }) => {
      const given: unknown = name === 'commit_sent' ? args[1] : JSON.parse(String(args[1]));
      return z.array(z.unknown()).parse(given).length;
    });
}
