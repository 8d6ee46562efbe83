// Takes posts in.

import { z } from 'zod';
import { at, callForRow, callForValue, callFunction, json } from './call.ts';
import {
  Admission,
  Enqueued,
  EnqueuedBatch,
  FoundEndpoint,
  PulledChunk,
  Pushed,
} from './intake-rows.ts';
import type { Queryable } from './pool.ts';
import { Previewed } from './preview-rows.ts';

export type {
  Admission,
  ChannelVerdict,
  Enqueued,
  EnqueuedBatch,
  PulledChunk,
  Pushed,
} from './intake-rows.ts';
export type { ComposedPost, Previewed, PreviewedChannel } from './preview-rows.ts';

export type EndpointKind = 'webhook_push' | 'bot_webhook';
export type IngestKind = 'push' | 'pull';

/** The endpoint that a secret belongs to; undefined when there is none. */
export async function findEndpoint(
  client: Queryable,
  request: { kind: EndpointKind; secretHash: string },
): Promise<z.output<typeof FoundEndpoint> | undefined> {
  const found = await callFunction(client, {
    name: 'find_endpoint',
    args: [request.kind, request.secretHash],
    row: FoundEndpoint,
  });
  return found[0];
}

/** Admits a request to its endpoint, or says why not: unknown, its workspace disabled, too large, too fast. */
export async function admitIngress(
  client: Queryable,
  request: { kind: EndpointKind; secretHash: string; sizeBytes: number },
  now?: string,
): Promise<Admission> {
  return callForRow(client, {
    name: 'admit_ingress',
    args: at(now, [request.kind, request.secretHash, request.sizeBytes]),
    row: Admission,
  });
}

/** Takes one post in; without an endpoint no receipt is kept. */
export async function enqueueMessagesAndDeliveries(
  client: Queryable,
  request: {
    workspaceId: string;
    endpointId: string | null;
    kind: IngestKind;
    rawPayload: unknown;
  },
  now?: string,
): Promise<Enqueued> {
  const { workspaceId, endpointId, kind, rawPayload } = request;
  return callForValue(client, {
    name: 'enqueue_messages_and_deliveries',
    args: at(now, [workspaceId, endpointId, kind, json(rawPayload)]),
    row: Enqueued,
  });
}

/** Drops a post that its endpoint has taken already, before its media are fetched; undefined when it is no repeat. */
export async function dropRepeatedPush(
  client: Queryable,
  request: { workspaceId: string; endpointId: string; rawPayload: unknown },
  now?: string,
): Promise<Enqueued | undefined> {
  const { workspaceId, endpointId, rawPayload } = request;
  const dropped = await callForValue(client, {
    name: 'drop_repeated_push',
    args: at(now, [workspaceId, endpointId, json(rawPayload)]),
    row: Enqueued.nullable(),
  });
  return dropped ?? undefined;
}

/** Takes one post in whose media were copied; `received` is the post as it came, which the receipt is of. */
export async function enqueueCopiedPost(
  client: Queryable,
  request: { workspaceId: string; endpointId: string; rawPayload: unknown; received: unknown },
  now?: string,
): Promise<Enqueued> {
  const { workspaceId, endpointId, rawPayload, received } = request;
  return callForValue(client, {
    name: 'enqueue_copied_post',
    args: at(now, [workspaceId, endpointId, json(rawPayload), json(received)]),
    row: Enqueued,
  });
}

/** Takes many posts in at once, without receipts; one that cannot be taken in does not keep the others out. */
export async function enqueueBatch(
  client: Queryable,
  request: { workspaceId: string; kind: IngestKind; items: readonly unknown[] },
  now?: string,
): Promise<EnqueuedBatch> {
  return callForValue(client, {
    name: 'enqueue_batch',
    args: at(now, [request.workspaceId, request.kind, json(request.items)]),
    row: EnqueuedBatch,
  });
}

/**
 * Admits a request and takes its post in. A post whose media are to be copied first, or whose signature is to be
 * checked, is only admitted and judged. What the claimer may send at once comes with the answer.
 */
export async function ingestPush(
  client: Queryable,
  request: {
    secretHash: string;
    sizeBytes: number;
    /** The post as JSON text: numbers that JavaScript cannot hold stay what they are. */
    rawPayload: string;
    traceId: string | null;
    /** The run of a sender that has room, and claims what may be sent now. */
    claimer?: string | undefined;
  },
  now?: string,
): Promise<Pushed> {
  const { secretHash, sizeBytes, rawPayload, traceId, claimer = null } = request;
  return callForRow(client, {
    name: 'ingest_push',
    args: at(now, [secretHash, sizeBytes, rawPayload, traceId, claimer]),
    row: Pushed,
  });
}

/** Says what would become of a post if it were taken in now; writes nothing. */
export async function previewPost(
  client: Queryable,
  request: {
    workspaceId: string;
    /** The endpoint that it would come to, whose receipts tell whether it is a repeat. */
    endpointId: string | null;
    /** The post as JSON text. */
    rawPayload: string;
    /** Whether media that are links count as copied into the origin store. */
    copiesLinks: boolean;
  },
  now?: string,
): Promise<Previewed> {
  const { workspaceId, endpointId, rawPayload, copiesLinks } = request;
  return callForValue(client, {
    name: 'preview_post',
    args: at(now, [workspaceId, endpointId, rawPayload, copiesLinks]),
    row: Previewed,
  });
}

/** Records that an admitted request was turned away; answers with the id of its run. */
export async function rejectIngress(
  client: Queryable,
  rejected: { workspaceId: string; endpointId: string; reason: string },
  now?: string,
): Promise<string> {
  const { workspaceId, endpointId, reason } = rejected;
  return callForValue(client, {
    name: 'reject_ingress',
    args: at(now, [workspaceId, endpointId, reason]),
    row: z.string(),
  });
}

/** One thing that a source had; `itemRef` is the source's own name for it. */
export interface PulledItem {
  readonly itemRef: string;
  readonly payload: unknown;
  /** Media that could not be fetched; the post comes without them. */
  readonly leftOut?: readonly LeftOutMedium[] | undefined;
}

export interface LeftOutMedium {
  /** As in `media[2].url`. */
  readonly path: string;
  readonly reason: string;
}

export interface PullChunk {
  readonly workspaceId: string;
  readonly sourceId: string;
  readonly items: readonly PulledItem[];
  readonly cursorTo: Readonly<Record<string, unknown>> | null;
  /** Of the lease that claimPullSource gave; null for a program that pulls without one. */
  readonly leaseToken?: string | null | undefined;
  /** When the source is due again: then the pull ends with this chunk. */
  readonly nextPullAt?: string | null | undefined;
  /** The item before which the pull ends, because a medium of it cannot be fetched for now. */
  readonly heldItem?: string | null | undefined;
  /** By how much the lease is extended when there is more to come. */
  readonly lease?: string | undefined;
}

/** Takes a chunk of a source in and moves its cursor: both or neither. */
export async function ingestPullChunk(
  client: Queryable,
  chunk: PullChunk,
  now?: string,
): Promise<PulledChunk> {
  const cursorTo = chunk.cursorTo === null ? null : json(chunk.cursorTo);
  const { leaseToken = null, nextPullAt = null, heldItem = null, lease = '1 minute' } = chunk;
  return callForValue(client, {
    name: 'ingest_pull_chunk',
    args: at(now, [
      chunk.workspaceId,
      chunk.sourceId,
      json(chunk.items.map(itemAsJson)),
      cursorTo,
      leaseToken,
      nextPullAt,
      heldItem,
      lease,
    ]),
    row: PulledChunk,
  });
}

function itemAsJson({ itemRef, payload, leftOut }: PulledItem): object {
  return {
    item_ref: itemRef,
    payload,
    ...(leftOut === undefined || leftOut.length === 0 ? {} : { left_out: leftOut }),
  };
}

/** A chunk as the arguments of ingest_pull_chunk, by name. */
export function pullChunkAsJson(chunk: Required<PullChunk>): object {
  return {
    workspace_id: chunk.workspaceId,
    source_id: chunk.sourceId,
    items: chunk.items.map(itemAsJson),
    cursor_to: chunk.cursorTo,
    lease_token: chunk.leaseToken,
    next_pull_at: chunk.nextPullAt,
    held_item: chunk.heldItem,
    lease: chunk.lease,
  };
}
