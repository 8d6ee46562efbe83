// A busy queue on real connections: many claimers, commits on other connections, senders that die, recoveries, an
// operator, and posts that keep coming in. Time is a shared clock that the claimers move; nothing sleeps. The log of
// what happened is checked afterwards.

import type pg from 'pg';
import { z } from 'zod';
import { type ClaimedDelivery, claimDeliveries } from '../../../src/db/claim.ts';
import {
  commitOutcomes,
  failPermanent,
  markSent,
  type Outcome,
  scheduleRetry,
  type Verdict,
} from '../../../src/db/commit.ts';
import { nextDueAt } from '../../../src/db/dispatch.ts';
import { queryRow } from '../../../src/db/query-rows.ts';
import { recoverLeases } from '../../../src/db/recovery.ts';
import { OutriderError } from '../../../src/errors.ts';
import { addBacklog, start } from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { randomFrom } from '../random-numbers.ts';
import { failed, mixedOutcome } from './outcomes.ts';
import { countQueue, type QueueCounts } from './queue-counts.ts';

/** A delivery that a claim gave out. `at` is the place of the claim in the order of calls. */
export interface Handover {
  readonly deliveryId: string;
  readonly claimToken: string;
  readonly attempt: number;
  readonly channelId: string;
  readonly notBefore: string;
  readonly at: number;
}

/** A commit or a recovery that the database accepted. `from` is where in the order of calls it began. */
export interface Ending {
  readonly deliveryId: string;
  readonly claimToken: string | undefined;
  readonly from: number;
}

export interface TrafficLog {
  readonly handovers: Handover[];
  readonly endings: Ending[];
  readonly counts: QueueCounts[];
  readonly faults: string[];
  /** Deliveries whose commits came too late. */
  readonly stale: string[];
}

export interface TrafficPlan {
  readonly workspaceId: string;
  readonly channelIds: readonly string[];
  readonly claimers: number;
  readonly committers: number;
  /** How many batches of 25 messages are posted, each message to every channel. */
  readonly batches: number;
}

export async function runTraffic(database: TestDatabase, plan: TrafficPlan): Promise<TrafficLog> {
  const traffic = new Traffic(database, plan);
  await traffic.enqueue(plan.batches / 2);
  const committing = await database.connectAs({
    workspaces: [plan.workspaceId],
    roles: ['outrider_worker'],
  });
  await Promise.all([
    ...Array.from({ length: plan.claimers }, () => traffic.claimUntilDone(database.service)),
    ...Array.from({ length: plan.committers }, () => traffic.commitUntilDone(committing)),
  ]);
  return traffic.log;
}

class Traffic {
  readonly log: TrafficLog = { handovers: [], endings: [], counts: [], faults: [], stale: [] };
  readonly #database: TestDatabase;
  readonly #plan: TrafficPlan;
  readonly #random = randomFrom(20_260_302);
  #clock = Date.parse(start);
  #order = 0;
  #enqueued = 0;
  #calls = 0;
  #done = false;
  /** Sends whose outcome must still be committed, and how many more a committer is working on. */
  #sends: ClaimedDelivery[] = [];
  #inHand = 0;
  /** Sends of claimers that died, and when their leases end. Some of these senders then commit after all. */
  #lost: { send: ClaimedDelivery; over: number }[] = [];
  #wake: (() => void)[] = [];

  constructor(database: TestDatabase, plan: TrafficPlan) {
    this.#database = database;
    this.#plan = plan;
  }

  async enqueue(batches: number): Promise<void> {
    for (let batch = 0; batch < batches && this.#enqueued < this.#plan.batches; batch += 1) {
      this.#enqueued += 1;
      await addBacklog(this.#database.admin, this.#plan.workspaceId, this.#plan.channelIds, 25);
    }
  }

  async claimUntilDone(pool: pg.Pool): Promise<void> {
    const client = await pool.connect();
    while (!this.#done) {
      const claimed = await this.#attempt([], () => this.#claim(client));
      if (claimed.length === 0) await this.#attempt(undefined, () => this.#idle(client));
      else if (this.#chance(1 / 40)) this.#lose(claimed);
      else this.#hand(claimed);
      await this.#attempt(undefined, () => this.#meanwhile(client));
    }
    client.release();
  }

  async commitUntilDone(pool: pg.Pool): Promise<void> {
    const client = await pool.connect();
    while (!this.#done) {
      const sends = this.#takeSends();
      if (sends.length === 0) {
        await new Promise<void>((resolve) => this.#wake.push(resolve));
        continue;
      }
      await this.#attempt(undefined, () => this.#commit(client, sends));
      this.#inHand -= sends.length;
    }
    client.release();
  }

  async #claim(client: pg.PoolClient): Promise<ClaimedDelivery[]> {
    this.#calls += 1;
    const limit = this.#pick([10, 50, 200]);
    const request = { workspaceId: this.#plan.workspaceId, runId: 'traffic', limit };
    const claimed = await claimDeliveries(client, request, this.#tick(150));
    this.#order += 1;
    for (const { deliveryId, claimToken, attempt, channel, notBefore } of claimed) {
      const { channelId } = channel;
      const at = this.#order;
      this.log.handovers.push({ deliveryId, claimToken, attempt, channelId, notBefore, at });
    }
    return claimed;
  }

  /** Nothing is due: moves the clock to the next due time, unless senders are still at work. */
  async #idle(client: pg.PoolClient): Promise<void> {
    if (this.#sends.length + this.#inHand > 0) return;
    await this.enqueue(1);
    const due = await nextDueAt(client, this.#now());
    this.#clock = Math.max(this.#clock, due?.getTime() ?? this.#clock + 1000);
    const left = await queryRow(
      this.#database.admin,
      z.object({ anything: z.boolean() }),
      `select exists (select from outrider.delivery_queue where workspace_id = $1)
         or exists (select from outrider.leases where workspace_id = $1) as anything`,
      [this.#plan.workspaceId],
    );
    if (!left.anything && this.#enqueued === this.#plan.batches) this.#finish();
    if (this.#calls > 30_000) {
      this.log.faults.push('the traffic does not end');
      this.#finish();
    }
  }

  /** What others do while deliveries are being sent. */
  async #meanwhile(client: pg.PoolClient): Promise<void> {
    const { workspaceId } = this.#plan;
    if (this.#chance(1 / 30)) await this.enqueue(1);
    if (this.#chance(1 / 15)) {
      const from = this.#order;
      const recovered = await recoverLeases(client, workspaceId, this.#tick(0));
      for (const { deliveryId, became } of recovered) {
        if (became === 'queued') continue; // had rested, was not handed over
        this.log.endings.push({ deliveryId, claimToken: undefined, from });
      }
    }
    if (this.#chance(1 / 20)) {
      await this.#database.admin.query(
        `update outrider.channels set enabled = true, paused_until = null, error_streak = 0
         where workspace_id = $1 and channel_id = (
           select channel_id from outrider.channels where workspace_id = $1 and not enabled limit 1)`,
        [workspaceId],
      );
    }
    if (this.#chance(1 / 50)) {
      this.log.counts.push(await countQueue(this.#database.admin, workspaceId));
    }
  }

  async #commit(client: pg.PoolClient, sends: readonly ClaimedDelivery[]): Promise<void> {
    const outcomes = sends.map((send) => this.#outcome(send));
    const from = this.#order;
    const verdicts = await this.#record(client, outcomes);
    const tokens = new Map(sends.map((send) => [send.deliveryId, send.claimToken]));
    for (const { deliveryId, became } of verdicts) {
      if (became === null) this.log.stale.push(deliveryId);
      else this.log.endings.push({ deliveryId, claimToken: tokens.get(deliveryId), from });
    }
  }

  #outcome(send: ClaimedDelivery): Outcome {
    // A few deliveries fail until they are dead. One channel often throws the bot out.
    if (send.deliveryId.startsWith('00')) return failed(send);
    if (send.channel.channelId === this.#plan.channelIds[0] && this.#chance(1 / 3)) {
      return failed(send, { category: 'PERMANENT', scope: 'channel', code: '403' });
    }
    return mixedOutcome(send, this.#random());
  }

  /** Commits in a batch, or a single outcome as a workflow does. */
  async #record(client: pg.PoolClient, outcomes: readonly Outcome[]): Promise<Verdict[]> {
    const { workspaceId } = this.#plan;
    const [first, ...others] = outcomes;
    const now = this.#tick(10);
    if (first === undefined || others.length > 0 || this.#chance(1 / 2)) {
      return commitOutcomes(client, workspaceId, outcomes, now);
    }
    const delivery = { workspaceId, deliveryId: first.deliveryId, claimToken: first.claimToken };
    if (first.ok) return [await markSent(client, delivery, first, now)];
    return first.error.category === 'PERMANENT'
      ? [await failPermanent(client, delivery, first.error, now)]
      : [await scheduleRetry(client, delivery, { error: first.error }, now)];
  }

  /** Takes some of the finished sends, each delivery once. */
  #takeSends(): ClaimedDelivery[] {
    const [oldest] = this.#lost;
    if (oldest !== undefined && oldest.over < this.#clock) {
      this.#lost.shift();
      if (this.#chance(1 / 2)) this.#sends.push(oldest.send);
    }
    const count = this.#pick([1, 1, 10, 60]);
    const from = Math.floor(this.#random() * Math.max(0, this.#sends.length - count));
    const taken = new Map(
      this.#sends.slice(from, from + count).map((send) => [send.deliveryId, send]),
    );
    this.#sends = this.#sends.filter((send) => taken.get(send.deliveryId) !== send);
    this.#inHand += taken.size;
    return [...taken.values()];
  }

  #lose(sends: readonly ClaimedDelivery[]): void {
    this.#lost.push(...sends.map((send) => ({ send, over: this.#clock + 35_000 })));
  }

  #hand(sends: readonly ClaimedDelivery[]): void {
    this.#sends.push(...sends);
    for (const wake of this.#wake.splice(0)) wake();
  }

  #finish(): void {
    this.#done = true;
    for (const wake of this.#wake.splice(0)) wake();
  }

  async #attempt<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { sqlstate, place } = error instanceof OutriderError ? error : {};
      this.log.faults.push(`${String(error)} ${sqlstate ?? ''} ${place ?? ''}`);
      if (this.log.faults.length > 20) this.#finish(); // more of them tell nothing new
      return otherwise;
    }
  }

  #tick(milliseconds: number): string {
    this.#clock += milliseconds;
    return this.#now();
  }

  #now(): string {
    return new Date(this.#clock).toISOString();
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick(choices: readonly number[]): number {
    return choices[Math.floor(this.#random() * choices.length)] ?? 1;
  }
}
