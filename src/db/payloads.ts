// Where raw requests and answers are kept, and who reads them.

import { z } from 'zod';
import { at, callForRow, callForValue, callFunction } from './call.ts';
import { int8, time } from './columns.ts';
import type { Queryable } from './pool.ts';

const kind = z.enum(['request', 'answer']);

const Policy = z.enum(['errors', 'all', 'none']);

/** Which raw requests and answers a workspace has kept. */
export type PayloadPolicy = z.output<typeof Policy>;

export async function payloadPolicy(
  client: Queryable,
  workspaceId: string,
): Promise<PayloadPolicy> {
  return callForValue(client, { name: 'payload_policy', args: [workspaceId], row: Policy });
}

export interface KeptPayload {
  readonly workspaceId: string;
  readonly payloadRef: string;
  readonly kind: z.output<typeof kind>;
  readonly objectUrl: string;
  readonly keyId: string;
  readonly sizeBytes: number;
  /** Of an answer. */
  readonly deliveryId?: string | undefined;
  /** Of a request: what it became. */
  readonly messageId?: string | undefined;
  /** Of a request: under which it is recorded. */
  readonly runId?: string | undefined;
}

/** Records that the object store holds a raw payload; false when what it is of is gone. */
export async function keepPayload(
  client: Queryable,
  payload: KeptPayload,
  now?: string,
): Promise<boolean> {
  const { workspaceId, payloadRef, objectUrl, keyId, sizeBytes } = payload;
  const { deliveryId = null, messageId = null, runId = null } = payload;
  return callForValue(client, {
    name: 'keep_payload',
    args: at(now, [
      workspaceId,
      payloadRef,
      payload.kind,
      objectUrl,
      keyId,
      sizeBytes,
      deliveryId,
      messageId,
      runId,
    ]),
    row: z.boolean(),
  });
}

const ReadPayload = z
  .object({
    kind,
    object_url: z.string(),
    key_id: z.string(),
    size_bytes: int8,
    created_at: time,
  })
  .transform((row) => ({
    kind: row.kind,
    objectUrl: row.object_url,
    keyId: row.key_id,
    sizeBytes: row.size_bytes,
    createdAt: row.created_at,
  }));

export type ReadPayload = z.output<typeof ReadPayload>;

/** Who reads a raw payload, and why, for the record. */
export interface Reading {
  readonly workspaceId: string;
  readonly payloadRef: string;
  readonly operator: string;
  readonly reason: string;
}

/** Says where a raw payload is, and puts the reading on record. For a member of outrider_privileged. */
export async function readPayload(
  client: Queryable,
  reading: Reading,
  now?: string,
): Promise<ReadPayload> {
  const { workspaceId, payloadRef, operator, reason } = reading;
  return callForRow(client, {
    name: 'read_payload',
    args: at(now, [workspaceId, payloadRef, operator, reason]),
    row: ReadPayload,
  });
}

/** Makes a link for a while; answers with its token. For a member of outrider_privileged. */
export async function linkPayload(
  client: Queryable,
  link: Reading & { readonly forSeconds: number },
  now?: string,
): Promise<string> {
  const { workspaceId, payloadRef, operator, reason, forSeconds } = link;
  return callForValue(client, {
    name: 'link_payload',
    args: at(now, [workspaceId, payloadRef, operator, reason, `${forSeconds} seconds`]),
    row: z.string(),
  });
}

const LinkedPayload = z
  .object({ payload_ref: z.string(), kind, object_url: z.string(), key_id: z.string() })
  .transform((row) => ({
    payloadRef: row.payload_ref,
    kind: row.kind,
    objectUrl: row.object_url,
    keyId: row.key_id,
  }));

export type LinkedPayload = z.output<typeof LinkedPayload>;

/** What a link leads to; undefined when there is no such link, or its time is over. Puts the reading on record. */
export async function openPayloadLink(
  client: Queryable,
  link: { readonly workspaceId: string; readonly tokenHash: string },
  now?: string,
): Promise<LinkedPayload | undefined> {
  const [found] = await callFunction(client, {
    name: 'open_payload_link',
    args: at(now, [link.workspaceId, link.tokenHash]),
    row: LinkedPayload,
  });
  return found;
}

const ExpiredPayload = z
  .object({ workspace_id: z.string(), payload_ref: z.string(), object_url: z.string() })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    payloadRef: row.payload_ref,
    objectUrl: row.object_url,
  }));

export type ExpiredPayload = z.output<typeof ExpiredPayload>;

/** Raw payloads of all workspaces whose time is over, the oldest first. */
export async function expiredPayloads(
  client: Queryable,
  limit: number,
  now?: string,
): Promise<ExpiredPayload[]> {
  return callFunction(client, {
    name: 'expired_payloads',
    args: at(now, [limit]),
    row: ExpiredPayload,
  });
}

/** Forgets raw payloads whose objects are gone; answers how many. */
export async function forgetPayloads(
  client: Queryable,
  workspaceId: string,
  payloadRefs: readonly string[],
): Promise<number> {
  return callForValue(client, {
    name: 'forget_payloads',
    args: [workspaceId, payloadRefs],
    row: z.number(),
  });
}

const KnownObject = z
  .object({ known_payload_objects: z.string() })
  .transform((row) => row.known_payload_objects);

/** Which of these addresses raw payloads are kept at. */
export async function knownPayloadObjects(
  client: Queryable,
  objectUrls: readonly string[],
): Promise<string[]> {
  return callFunction(client, {
    name: 'known_payload_objects',
    args: [objectUrls],
    row: KnownObject,
  });
}

const ListedPayload = z
  .object({ payload_ref: z.string(), object_url: z.string(), key_id: z.string() })
  .transform((row) => ({
    payloadRef: row.payload_ref,
    objectUrl: row.object_url,
    keyId: row.key_id,
  }));

export type ListedPayload = z.output<typeof ListedPayload>;

/** The raw payloads of a workspace in the order of their names, page by page. */
export async function listPayloads(
  client: Queryable,
  page: {
    readonly workspaceId: string;
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<ListedPayload[]> {
  return callFunction(client, {
    name: 'list_payloads',
    args: [page.workspaceId, page.after ?? null, page.limit],
    row: ListedPayload,
  });
}
