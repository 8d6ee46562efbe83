// Takes one post in for a caller that needs no endpoint: copies its media first, then queues it.

import type { z } from 'zod';
import { type Enqueued, enqueueMessagesAndDeliveries } from '../db/intake.ts';
import { InvalidInputError } from '../errors.ts';
import { type ImportContext, importMedia } from '../media/import-media.ts';
import type { ReadonlyDeep } from '../readonly-deep.ts';
import type { Post } from './post-schema.ts';

/** A post as a program writes it. */
export type NewPost = ReadonlyDeep<Omit<z.input<typeof Post>, 'workspace_id'>>;

export type Accepted = Extract<Enqueued, { verdict: 'accepted' }>;

/** The post with its media in the origin store. The signal ends the wait for other servers. */
export async function withCopiedMedia(
  context: ImportContext,
  workspaceId: string,
  rawPost: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const imported = await importMedia(context, workspaceId, rawPost, signal);
  if (imported.ok) return imported.post;
  const { path, reason, transient } = imported.fault;
  throw new InvalidInputError(`${path}: ${reason}`, {
    hint: transient ? 'try again later' : 'correct the address, or leave it out',
  });
}

export async function enqueuePost(
  { client }: Pick<ImportContext, 'client'>,
  workspaceId: string,
  rawPayload: unknown,
): Promise<Accepted> {
  const request = { workspaceId, endpointId: null, kind: 'push', rawPayload } as const;
  const enqueued = await enqueueMessagesAndDeliveries(client, request);
  if (enqueued.verdict === 'accepted') return enqueued;
  throw new InvalidInputError('the post was dropped as a repeat'); // only endpoints drop
}
