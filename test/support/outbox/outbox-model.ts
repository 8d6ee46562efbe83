// A model of the outbox: a list of events in memory. OutboxRun takes the same steps in the model and in the database.

import { deepEqual, equal } from 'node:assert/strict';
import type pg from 'pg';
import { z } from 'zod';
import {
  fetchUnpublished,
  markPublished,
  markPublishFailed,
  type PublishOrder,
  replayOutboxEvents,
} from '../../../src/db/outbox.ts';
import { queryRow } from '../../../src/db/query-rows.ts';
import { start } from '../database/seed.ts';
import { emit } from './outbox-events.ts';

const maxAttempts = 3;

export type Step =
  | { readonly does: 'emit'; readonly aggregate: number }
  | { readonly does: 'emit and commit later'; readonly aggregate: number }
  | { readonly does: 'commit' | 'roll back'; readonly late: number }
  | { readonly does: 'fetch'; readonly publisher: number; readonly limit: number }
  | { readonly does: 'finish'; readonly publisher: number; readonly good: readonly boolean[] }
  | { readonly does: 'give up the transaction'; readonly publisher: number }
  | { readonly does: 'wait'; readonly seconds: number }
  | { readonly does: 'replay' };

export interface ModelEvent {
  readonly id: string;
  readonly aggregate: string;
  readonly createdAt: string;
  attempts: number;
  /** When an event that failed or was replayed may be tried, in microseconds; null for all others. */
  notBefore: number | null;
  isPublished: boolean;
  holder: number | null;
  /** Whether it was ever due while an earlier event of its aggregate was not published. */
  wasAside: boolean;
}

const byAge = (a: ModelEvent, b: ModelEvent): number =>
  a.createdAt === b.createdAt ? a.id.localeCompare(b.id) : a.createdAt.localeCompare(b.createdAt);

/** The batch that a fetch with `order: none` must give. */
export function expectedBatch(
  waiting: readonly ModelEvent[],
  limit: number,
  now: number,
): ModelEvent[] {
  const free = waiting.filter((event) => event.holder === null);
  const due = free
    .filter((event) => event.notBefore !== null && isDue(event, now))
    .toSorted((a, b) => (a.notBefore ?? 0) - (b.notBefore ?? 0) || a.id.localeCompare(b.id));
  const untried = free.filter((event) => event.notBefore === null).toSorted(byAge);
  const share = Math.max(1, Math.floor(limit / 2));
  const again = due.slice(0, share);
  const fresh = untried.slice(0, limit - again.length);
  const more = due.slice(share, share + limit - again.length - fresh.length);
  return [...again, ...fresh, ...more].toSorted(byAge);
}

/** Whether the event may be tried, regardless of other events. */
export function isDue(event: ModelEvent, now: number): boolean {
  return event.attempts < maxAttempts && (event.notBefore === null || event.notBefore <= now);
}

/** For each aggregate, its events that wait, in their order. */
export function linesOf(waiting: readonly ModelEvent[]): ModelEvent[][] {
  return [...Map.groupBy(waiting, (event) => event.aggregate).values()].map((line) =>
    line.toSorted(byAge),
  );
}

interface Late {
  readonly client: pg.PoolClient;
  readonly event: ModelEvent;
}

interface Publisher {
  readonly client: pg.PoolClient;
  readonly batch: readonly ModelEvent[];
}

export class OutboxRun {
  readonly events: ModelEvent[] = [];
  now = micros(start);
  readonly #pool: pg.Pool;
  readonly #order: PublishOrder;
  readonly #late: Late[] = [];
  readonly #publishers = new Map<number, Publisher>();
  readonly #judge: (run: OutboxRun, batch: readonly ModelEvent[], limit: number) => void;

  constructor(
    pool: pg.Pool,
    order: PublishOrder,
    judge: (run: OutboxRun, batch: readonly ModelEvent[], limit: number) => void,
  ) {
    this.#pool = pool;
    this.#order = order;
    this.#judge = judge;
  }

  get waiting(): ModelEvent[] {
    return this.events.filter((event) => !event.isPublished);
  }

  /** Whether the publisher that fetches now is the only one. */
  get isAlone(): boolean {
    return this.#publishers.size === 1;
  }

  async take(step: Step): Promise<void> {
    switch (step.does) {
      case 'emit':
        this.events.push(await emitted(this.#pool, step.aggregate));
        return;
      case 'emit and commit later':
        return this.#emitLate(step.aggregate);
      case 'commit':
      case 'roll back':
        return this.#endLate(step.late, step.does === 'commit');
      case 'fetch':
        return this.#fetch(step.publisher, step.limit);
      case 'finish':
        return this.#finish(step.publisher, step.good);
      case 'give up the transaction':
        return this.#giveUp(step.publisher);
      case 'wait':
        this.now += step.seconds * 1e6;
        return;
      case 'replay':
        return this.replay();
    }
  }

  /** Ends all open transactions, then publishes until nothing is left. */
  async drain(): Promise<void> {
    while (this.#late.length > 0) await this.#endLate(0, true);
    for (const publisher of this.#publishers.keys()) await this.#giveUp(publisher);
    for (let round = 0; this.waiting.length > 0 && round < 200; round += 1) {
      this.now += 601e6;
      await this.replay();
      await this.#fetch(0, 5);
      await this.#finish(0, [true]);
    }
  }

  async close(): Promise<void> {
    for (const { client } of [...this.#late, ...this.#publishers.values()]) {
      await end(client, 'rollback');
    }
  }

  async replay(): Promise<void> {
    const replayed = await replayOutboxEvents(
      this.#pool,
      { eventIds: null, dryRun: false, operator: 'ann', reason: 'again', maxAttempts },
      asIso(this.now),
    );
    const ids = replayed.filter((each) => each.replayed).map((each) => each.eventId);
    for (const event of this.events.filter((each) => ids.includes(each.id))) {
      event.attempts = 0;
      event.notBefore = this.now;
    }
  }

  async #emitLate(aggregate: number): Promise<void> {
    if (this.#late.length === 2) return;
    const client = await begun(this.#pool);
    this.#late.push({ client, event: await emitted(client, aggregate) });
  }

  async #endLate(index: number, isCommit: boolean): Promise<void> {
    const [late] = this.#late.splice(index, 1);
    if (late === undefined) return;
    await end(late.client, isCommit ? 'commit' : 'rollback');
    if (isCommit) this.events.push(late.event);
  }

  async #fetch(publisher: number, limit: number): Promise<void> {
    if (this.#publishers.has(publisher)) return;
    const client = await begun(this.#pool);
    this.#publishers.set(publisher, { client, batch: [] });
    const request = { limit, maxAttempts, order: this.#order };
    const fetched = await fetchUnpublished(client, request, asIso(this.now));
    const batch = fetched.map(({ eventId }) => {
      const event = this.events.find((each) => each.id === eventId);
      if (event === undefined) throw new Error(`${eventId} was never committed`);
      return event;
    });
    deepEqual(batch, batch.toSorted(byAge));
    const attempts = batch.map((event) => event.attempts);
    deepEqual(
      fetched.map((each) => each.attemptCount),
      attempts,
    );
    this.#judge(this, batch, limit);
    for (const event of batch) event.holder = publisher;
    for (const event of linesOf(this.waiting).flatMap((line) => line.slice(1))) {
      if (event.notBefore !== null && event.notBefore <= this.now) event.wasAside = true;
    }
    this.#publishers.set(publisher, { client, batch });
  }

  /** Marks events as a publisher does: with `order: aggregate`, none of an aggregate is published after a failure. */
  async #finish(publisher: number, good: readonly boolean[]): Promise<void> {
    const held = this.#publishers.get(publisher);
    if (held === undefined) return;
    const broken = new Set<string>();
    const published: ModelEvent[] = [];
    const failed: ModelEvent[] = [];
    for (const [index, event] of held.batch.entries()) {
      if (this.#order === 'aggregate' && broken.has(event.aggregate)) continue;
      if (good[index % good.length] === true) published.push(event);
      else {
        failed.push(event);
        broken.add(event.aggregate);
      }
    }
    const { client } = held;
    if (published.length > 0) {
      await markPublished(
        client,
        published.map((event) => event.id),
        asIso(this.now),
      );
    }
    const failures = failed.map((event) => ({ eventId: event.id, error: 'no' }));
    const answers =
      failed.length > 0
        ? await markPublishFailed(client, failures, maxAttempts, asIso(this.now))
        : [];
    await end(client, 'commit');
    for (const event of published) event.isPublished = true;
    for (const event of failed) {
      event.attempts += 1;
      const answer = answers.find((each) => each.eventId === event.id);
      equal(answer?.became, event.attempts < maxAttempts ? 'waiting' : 'given_up');
      event.notBefore = answer?.nextAttemptAt ? micros(answer.nextAttemptAt) : this.now;
    }
    this.#release(publisher);
  }

  async #giveUp(publisher: number): Promise<void> {
    const held = this.#publishers.get(publisher);
    if (held === undefined) return;
    await end(held.client, 'rollback');
    this.#release(publisher);
  }

  #release(publisher: number): void {
    for (const event of this.events.filter((each) => each.holder === publisher))
      event.holder = null;
    this.#publishers.delete(publisher);
  }
}

async function emitted(client: pg.Pool | pg.PoolClient, aggregate: number): Promise<ModelEvent> {
  const id = await emit(client, `00000000-0000-4000-8000-00000000000${aggregate}`);
  const row = await queryRow(
    client,
    z.object({ aggregate: z.string(), created_at: z.string() }),
    `select aggregate_id as aggregate, to_char(created_at, 'YYYY-MM-DD HH24:MI:SS.US') as created_at
     from outrider.outbox_events where id = $1`,
    [id],
  );
  return {
    id,
    aggregate: row.aggregate,
    createdAt: row.created_at,
    attempts: 0,
    notBefore: null,
    isPublished: false,
    holder: null,
    wasAside: false,
  };
}

async function begun(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query("set local lock_timeout = '1s'"); // a wait for a lock is an error
  return client;
}

async function end(client: pg.PoolClient, how: 'commit' | 'rollback'): Promise<void> {
  try {
    await client.query(how);
  } finally {
    client.release();
  }
}

function micros(time: string): number {
  const [, seconds = '', fraction = ''] = /^(.*?)(?:\.(\d+))?(?:Z|\+00)$/.exec(time) ?? [];
  return Date.parse(`${seconds.replace(' ', 'T')}Z`) * 1000 + Number(fraction.padEnd(6, '0'));
}

function asIso(time: number): string {
  return new Date(time / 1000).toISOString();
}
