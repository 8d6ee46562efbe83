// The ways in which a post can come in. All give their verdicts in the same form.

import { enqueueBatch, enqueueMessagesAndDeliveries, ingestPush } from '../../../src/db/intake.ts';
import { Enqueued } from '../../../src/db/intake-rows.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { InvalidInputError } from '../../../src/errors.ts';
import { type Ingest, refusalIn, send } from '../http/ingest.ts';
import { hashOf } from './intake.ts';
import type { Post } from './request-stream.ts';

/** What an answer says, without its run id: a batch has one run for all its posts. */
export interface Verdict {
  readonly verdict: string;
  readonly messageId?: string;
  readonly reason?: string | null;
}

/** Pushes to the endpoint `push` of the workspace, one call for each post. */
export async function pushOneByOne(
  client: Queryable,
  workspaceId: string,
  posts: readonly Post[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const rawPayload of posts) {
    const request = { workspaceId, endpointId: 'push', kind: 'push', rawPayload } as const;
    const answer = await enqueueMessagesAndDeliveries(client, request).catch(reasonIn);
    verdicts.push(withoutRun(answer));
  }
  return verdicts;
}

function reasonIn(error: unknown): Verdict {
  const reason =
    error instanceof InvalidInputError
      ? /: raw_payload cannot be taken in: (.*)$/s.exec(error.message)?.[1]
      : undefined;
  if (reason === undefined) throw error;
  return { verdict: 'rejected', reason };
}

/** One call for each batch. */
export async function pushInBulk(
  client: Queryable,
  workspaceId: string,
  batches: readonly (readonly Post[])[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const items of batches) {
    const { items: answers } = await enqueueBatch(client, { workspaceId, kind: 'push', items });
    verdicts.push(
      ...answers.map((answer) => {
        if (answer.verdict === 'rejected') return answer;
        const { repeatsItem, ...rest } = answer;
        return repeatsItem === null ? rest : { ...rest, repeatsItem };
      }),
    );
  }
  return verdicts;
}

/** Calls the function that the HTTP side calls. */
export async function pushThroughSql(
  client: Queryable,
  secret: string,
  posts: readonly Post[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const post of posts) {
    const rawPayload = JSON.stringify(post);
    const sizeBytes = Buffer.byteLength(rawPayload);
    const request = { secretHash: hashOf(secret), sizeBytes, rawPayload, traceId: null };
    const { verdict, reason, enqueued } = await ingestPush(client, request);
    verdicts.push(enqueued === null ? { verdict, reason } : withoutRun(enqueued));
  }
  return verdicts;
}

export async function pushThroughHttp(
  ingest: Ingest,
  secret: string,
  posts: readonly Post[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const post of posts) {
    const reply = await send(ingest, secret, post);
    const isTaken = reply.status === 202 || reply.status === 200;
    verdicts.push(isTaken ? withoutRun(Enqueued.parse(reply.body)) : refused(refusalIn(reply)));
  }
  return verdicts;
}

function refused({ code, message }: { code: string; message: string }): Verdict {
  return { verdict: code === 'post_refused' ? 'rejected' : code, reason: message };
}

function withoutRun(answer: Enqueued | Verdict): Verdict {
  if (!('runId' in answer)) return answer;
  const { runId: _, ...rest } = answer;
  return rest;
}

/** The posts that were not dropped, in batches. No batch has the same content twice. */
export function batchesOf(posts: readonly Post[], verdicts: readonly Verdict[]): Post[][] {
  const batches: Post[][] = [[]];
  const seen = new Set<string>();
  for (const [n, post] of posts.entries()) {
    const { verdict, messageId } = verdicts[n] ?? { verdict: 'dedup_dropped' };
    if (verdict === 'dedup_dropped') continue;
    if (messageId !== undefined && seen.has(messageId)) {
      batches.push([]);
      seen.clear();
    }
    if (messageId !== undefined) seen.add(messageId);
    batches.at(-1)?.push(post);
  }
  return batches.filter((batch) => batch.length > 0);
}
