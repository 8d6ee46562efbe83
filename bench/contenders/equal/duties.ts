// The code that a user writes around duties.sql. The tasks of both libraries call it.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { channelCount } from '../../outrider/workload.ts';
import type { Post } from '../../post.ts';

/** The payload of a job: one post to one channel. */
export interface Delivery {
  readonly channel: string;
  readonly post: Post;
}

export interface Attempt {
  readonly jobId: string;
  readonly attempt: number;
  readonly delivery: Delivery;
}

export interface Ended extends Attempt {
  /** Why it failed; undefined when it was sent. */
  readonly error: string | undefined;
}

export interface Duties {
  /** Queues the posts for all channels that do not know them, and marks them as known, in one transaction. */
  enqueue(
    posts: readonly Post[],
    add: (tx: pg.ClientBase, jobs: Delivery[]) => Promise<unknown>,
  ): Promise<void>;
  /** Takes a slot for each attempt and records its start. Returns how many milliseconds each has to wait. */
  begin(attempts: readonly Attempt[]): Promise<number[]>;
  beginOne(attempt: Attempt): Promise<number>;
  /** Records how attempts ended. */
  end(ended: readonly Ended[]): Promise<void>;
  endOne(ended: Ended): Promise<void>;
  /** Keeps a job whose last attempt failed, and why. */
  bury(ended: Ended): Promise<void>;
  close(): Promise<void>;
}

const dedupWindow = '7 days';
// Above 1,000,000/s a slot is shorter than the clock's microsecond, as in Outrider's workspace.
const step = '0.0000005 seconds';

export async function openDuties(databaseUrl: string): Promise<Duties> {
  const pool = openPool(databaseUrl);
  // If a crash of the server loses a slot, the pace is off for a moment. But the lock on a group must not wait for the
  // disk.
  const paces = openPool(databaseUrl, '-c synchronous_commit=off');
  await install(pool);
  return {
    async enqueue(posts, add) {
      const tx = await pool.connect();
      try {
        await tx.query('begin');
        const unseen = await markSeen(tx, posts.flatMap(toEveryChannel));
        if (unseen.length > 0) await add(tx, unseen);
        await tx.query('commit');
      } catch (error) {
        await tx.query('rollback');
        throw error;
      } finally {
        tx.release();
      }
    },
    async begin(attempts) {
      const channels = attempts.map((each) => each.delivery.channel);
      const text = 'select wait_ms from duties.take_slots($1)';
      const slots = { name: 'take_slots', text, values: [channels] };
      const { rows } = await paces.query<{ wait_ms: number }>(slots);
      await pool.query({
        name: 'start_attempts',
        text: 'select duties.start_attempts($1, $2, $3)',
        values: [...keysOf(attempts), channels],
      });
      return rows.map((row) => row.wait_ms);
    },
    async beginOne({ jobId, attempt, delivery: { channel } }) {
      const text = 'select duties.take_slot($1) as wait_ms';
      const slot = { name: 'take_slot', text, values: [channel] };
      const { rows } = await paces.query<{ wait_ms: number }>(slot);
      await pool.query({
        name: 'start_attempt',
        text: `insert into duties.attempts (job_id, attempt, channel, started_at)
          values ($1, $2, $3, clock_timestamp()) on conflict do nothing`,
        values: [jobId, attempt, channel],
      });
      return rows[0]?.wait_ms ?? 0;
    },
    async end(ended) {
      await pool.query({
        name: 'end_attempts',
        text: 'select duties.end_attempts($1, $2, $3, $4)',
        values: [...keysOf(ended), ended.map(messageIdOf), ended.map(({ error }) => error ?? null)],
      });
    },
    async endOne(ended) {
      await pool.query({
        name: 'end_attempt',
        text: `update duties.attempts set ended_at = clock_timestamp(), message_id = $3, error = $4
          where job_id = $1 and attempt = $2`,
        values: [ended.jobId, ended.attempt, messageIdOf(ended), ended.error ?? null],
      });
    },
    async bury({ jobId, delivery, error }) {
      const values = [jobId, delivery.channel, delivery.post, error];
      await pool.query('select duties.bury($1, $2, $3, $4)', values);
    },
    async close() {
      await Promise.all([pool.end(), paces.end()]);
    },
  };
}

async function install(pool: pg.Pool): Promise<void> {
  await pool.query(await readFile(new URL('duties.sql', import.meta.url), 'utf8'));
  await pool.query(
    `with g as (
       insert into duties.rate_groups (rate_group, step) values ('bot', $1) returning rate_group
     )
     insert into duties.channels (channel, rate_group, step)
     select 'channel-' || n, g.rate_group, $1 from g, generate_series(1, $2) n`,
    [step, channelCount],
  );
}

async function markSeen(tx: pg.ClientBase, deliveries: readonly Delivery[]): Promise<Delivery[]> {
  const hashes = deliveries.map(({ post }) => hashOf(post));
  const { rows } = await tx.query<{ channel: string; content_hash: Buffer }>({
    name: 'mark_seen',
    text: 'select channel, content_hash from duties.mark_seen($1, $2, $3)',
    values: [deliveries.map(({ channel }) => channel), hashes, dedupWindow],
  });
  const isNew = new Set(rows.map((row) => keyOf(row.channel, row.content_hash)));
  return deliveries.filter(({ channel }, n) => isNew.has(keyOf(channel, hashes[n])));
}

function keyOf(channel: string, hash: Buffer | undefined): string {
  return `${channel} ${hash?.toString('base64')}`;
}

function hashOf({ title, text, url }: Post): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([title, text, url]))
    .digest();
}

function toEveryChannel(post: Post): Delivery[] {
  return Array.from({ length: channelCount }, (_, n) => ({ channel: `channel-${n + 1}`, post }));
}

function keysOf(attempts: readonly Attempt[]): [string[], number[]] {
  return [attempts.map(({ jobId }) => jobId), attempts.map(({ attempt }) => attempt)];
}

/** The provider's id of the message. Nothing is sent here, so any id will do. */
function messageIdOf({ jobId, error }: Ended): string | null {
  return error === undefined ? jobId : null;
}

function openPool(connectionString: string, options?: string): pg.Pool {
  const config = options === undefined ? {} : { options };
  const pool = new pg.Pool({ connectionString, max: 10, ...config });
  pool.on('error', () => undefined); // an idle connection failed: the next query opens another
  return pool;
}
