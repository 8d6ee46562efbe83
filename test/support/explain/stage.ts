// A workspace in which something happens that somebody then asks about.

import { randomUUID } from 'node:crypto';
import { type ClaimedDelivery, claimDeliveries } from '../../../src/db/claim.ts';
import { commitOutcomes, type GivenError } from '../../../src/db/commit.ts';
import { ingestPush, type Pushed } from '../../../src/db/intake.ts';
import { beat } from '../../../src/db/monitor.ts';
import { addChannel, addNewWorkspace, after, start } from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { type Accepted, addEndpoint, hashOf, take } from '../posts/intake.ts';
import { failed, sent } from '../queue/outcomes.ts';
import type { Sending } from '../sandbox/sending.ts';
import type { Platform } from '../sandbox/three-platforms.ts';

/** What is asked, and when. */
export interface Question {
  readonly deliveryId?: string;
  readonly search?: string;
  readonly channelId?: string;
  readonly now: string;
}

export interface ReasonCase {
  readonly reason: string;
  /** Makes it happen; answers with what somebody asks then. */
  readonly provoke: (stage: Stage) => Promise<Question>;
  /** Ids are written <id>, and the workspace is called city. */
  readonly because: string;
  readonly advice: string;
  readonly until?: string | null;
  /** It is said beside the main reason. */
  readonly beside?: true;
}

export const order = { operator: 'ann', reason: 'repairs' } as const;

export const dog = { text: 'Lost: a ginger dog near the station' };

type Columns = Readonly<Record<string, unknown>>;

export class Stage {
  readonly database: TestDatabase;
  readonly sending: Sending;
  readonly workspaceId: string;

  private constructor(database: TestDatabase, sending: Sending, workspaceId: string) {
    this.database = database;
    this.sending = sending;
    this.workspaceId = workspaceId;
  }

  /** A workspace whose waits have no chance in them. */
  static async open(database: TestDatabase, sending: Sending): Promise<Stage> {
    return new Stage(database, sending, await addNewWorkspace(database, { backoff_jitter: 0 }));
  }

  async set(settings: Columns): Promise<void> {
    for (const [name, value] of Object.entries(settings)) {
      await this.database.admin.query(
        `update outrider.workspace_settings set ${name} = $2 where workspace_id = $1`,
        [this.workspaceId, value],
      );
    }
  }

  async status(status: 'paused' | 'disabled'): Promise<void> {
    await this.database.admin.query(
      'update outrider.workspaces set status = $2 where workspace_id = $1',
      [this.workspaceId, status],
    );
  }

  async channel(columns: Columns = {}, channelId = 'news'): Promise<void> {
    await addChannel(this.database.admin, this.workspaceId, channelId, columns);
  }

  /** A channel that posts to a chat of the sandbox. */
  async sandboxChannel(platform: Platform): Promise<void> {
    await this.database.admin.query(
      `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
       values ($1, 'bot', $2, $3, $4)`,
      [this.workspaceId, platform, `env:${platform.toUpperCase()}`, start],
    );
    await this.channel({ platform, target_id: this.sending.targetOf(platform) });
  }

  take(post: object = dog, now: string = start): Promise<Accepted> {
    return take(this.database.service, this.workspaceId, post, now);
  }

  /** Takes a post in; answers with its delivery in the channel `news`. */
  async queue(post: object = dog, now: string = start): Promise<string> {
    const { channels } = await this.take(post, now);
    const verdict = channels.find((each) => each.channelId === 'news');
    if (verdict === undefined || !('deliveryId' in verdict)) throw new Error('it has no delivery');
    return verdict.deliveryId;
  }

  async claim(now: string, limit = 1): Promise<ClaimedDelivery[]> {
    const request = { workspaceId: this.workspaceId, runId: 'run', limit };
    return claimDeliveries(this.database.service, request, now);
  }

  /** Claims what is next, and commits that it was sent. */
  async send(now: string = start): Promise<void> {
    await this.#commit(now, sent);
  }

  /** Claims what is next, and commits a failure. */
  async fail(error: Partial<GivenError>, now: string = start): Promise<void> {
    await this.#commit(now, (held) => failed(held, error));
  }

  async #commit(
    now: string,
    outcomeOf: (held: ClaimedDelivery) => ReturnType<typeof sent>,
  ): Promise<void> {
    const held = await this.claim(now);
    if (held.length !== 1) throw new Error('nothing was claimed');
    await commitOutcomes(this.database.service, this.workspaceId, held.map(outcomeOf), now);
  }

  /** A process that sends gives a sign of life. */
  async beat(now: string): Promise<void> {
    const process = { host: 'here', pid: 7, version: '1.0.0', ready: true, facts: {} };
    await beat(
      this.database.service,
      { serviceId: randomUUID(), roles: ['dispatch'], ...process },
      now,
    );
  }

  async endpoint(columns: Columns = {}): Promise<void> {
    await addEndpoint(this.database.admin, this.workspaceId, this.workspaceId, columns);
  }

  async push(post: object, now: string = start, sizeBytes = 200): Promise<Pushed> {
    const request = {
      secretHash: hashOf(this.workspaceId),
      sizeBytes,
      rawPayload: JSON.stringify(post),
      traceId: null,
    };
    return ingestPush(this.database.service, request, now);
  }

  async source(enabled = true): Promise<void> {
    await this.database.admin.query(
      `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, enabled, created_at)
       values ($1, 'feed', 'rss', '{"url": "https://feed.test/rss"}', $2, $3)`,
      [this.workspaceId, enabled, start],
    );
  }
}

export const soon = after(1);
