// A rate group with some channels, the failures of its platform, and the state of the group after them.

import { z } from 'zod';
import { type ClaimedDelivery, claimDeliveries } from '../../../src/db/claim.ts';
import {
  commitOutcomes,
  type GivenError,
  type Outcome,
  type Verdict,
} from '../../../src/db/commit.ts';
import { queryRow, queryRows } from '../../../src/db/query-rows.ts';
import { addBacklog, addChannel, addWorkspace } from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { failed, sent } from './outcomes.ts';

const Group = z.object({
  channels: z.array(z.string()).nullable(),
  since: z.string().nullable(),
  until: z.string().nullable(),
});

const Delivery = z.object({
  status: z.string(),
  attempt: z.number(),
  /** Attempts that are left. */
  left: z.number(),
});

/** The error of a send to which no usable answer came. */
export const ill: Partial<GivenError> = { code: 'outcome_unknown' };

export class GroupOutage {
  readonly workspaceId: string;
  readonly #database: TestDatabase;

  private constructor(database: TestDatabase, workspaceId: string) {
    this.#database = database;
    this.workspaceId = workspaceId;
  }

  /** Adds channels to the group `shared`, each with a backlog. Waits begin with 30 s and have no jitter. */
  static async open(
    database: TestDatabase,
    workspaceId: string,
    channels: readonly string[],
    settings: Readonly<Record<string, unknown>> = {},
  ): Promise<GroupOutage> {
    const waits = { backoff_base: '30 seconds', backoff_jitter: 0 };
    await addWorkspace(database.admin, workspaceId, { ...waits, ...settings });
    const group = new GroupOutage(database, workspaceId);
    for (const channelId of channels) await group.addChannel(channelId);
    return group;
  }

  async addChannel(
    channelId: string,
    columns: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const { admin } = this.#database;
    await addChannel(admin, this.workspaceId, channelId, { rate_group: 'shared', ...columns });
    await addBacklog(admin, this.workspaceId, [channelId], 20);
  }

  claim(now: string, limit = 100): Promise<ClaimedDelivery[]> {
    const request = { workspaceId: this.workspaceId, runId: 'run', limit };
    return claimDeliveries(this.#database.service, request, now);
  }

  /** Claims one delivery of each open channel; answers with them by channel. */
  async hold(now: string): Promise<Map<string, ClaimedDelivery>> {
    const { count } = await queryRow(
      this.#database.admin,
      z.object({ count: z.number() }),
      'select count(*)::int from outrider.channels where workspace_id = $1',
      [this.workspaceId],
    );
    const held = await this.claim(now, count);
    return new Map(held.map((each) => [each.channel.channelId, each]));
  }

  /** The channels of the deliveries that a claim takes now. The deliveries stay claimed. */
  async given(now: string): Promise<string[]> {
    return (await this.claim(now)).map((each) => each.channel.channelId).toSorted();
  }

  async commit(outcomes: readonly Outcome[], now: string): Promise<Verdict[]> {
    return commitOutcomes(this.#database.service, this.workspaceId, outcomes, now);
  }

  /** Commits a failure of each delivery, one commit after the other. */
  async fail(
    deliveries: readonly (ClaimedDelivery | undefined)[],
    now: string,
    error: Partial<GivenError> = ill,
  ): Promise<void> {
    for (const each of deliveries) await this.commit([failed(known(each), error)], now);
  }

  async send(delivery: ClaimedDelivery | undefined, now: string): Promise<void> {
    await this.commit([sent(known(delivery))], now);
  }

  /** The channels that failed one after the other, and the outage they led to; undefined if none failed. */
  async streak(rateGroup = 'shared'): Promise<z.output<typeof Group> | undefined> {
    const [group] = await queryRows(
      this.#database.admin,
      Group,
      `select outage_channels as channels,
         to_char(outage_since at time zone 'UTC', 'HH24:MI:SS') as since,
         to_char(resting_until at time zone 'UTC', 'HH24:MI:SS') as until
       from outrider.platform_limits
       where workspace_id = $1 and rate_group = $2 and outage_channels is not null`,
      [this.workspaceId, rateGroup],
    );
    return group;
  }

  async delivery({ deliveryId }: { deliveryId: string }): Promise<z.output<typeof Delivery>> {
    return queryRow(
      this.#database.admin,
      Delivery,
      `select status::text, attempt, attempt_limit - attempt as left
       from outrider.deliveries where delivery_id = $1`,
      [deliveryId],
    );
  }

  /** The group's events, oldest first. */
  async events(): Promise<string[]> {
    const found = await queryRows(
      this.#database.admin,
      z.object({ action: z.string() }),
      `select action::text from outrider.events
       where workspace_id = $1 and action::text ~ '^group_' order by ts`,
      [this.workspaceId],
    );
    return found.map((each) => each.action);
  }
}

export function known(delivery: ClaimedDelivery | undefined): ClaimedDelivery {
  if (delivery === undefined) throw new Error('the channel gave nothing');
  return delivery;
}
