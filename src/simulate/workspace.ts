// Makes the workspace of a simulation in a scratch database: its configuration, and the media that its posts name.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { applyWorkspace } from '../db/apply.ts';
import { keepMediaOrigin, keepPictureHash } from '../db/media.ts';
import type { Queryable } from '../db/pool.ts';
import type { KnownMedium, ShownConfiguration } from '../db/simulate.ts';
import type { Arrival } from './delivery.ts';

/** What decides when posts go out and how they look. */
export interface SimulatedConfiguration {
  readonly document: Readonly<Record<string, unknown>>;
  readonly earlierTemplates: ShownConfiguration['earlierTemplates'];
}

/** Applies the configuration to a workspace of that name. */
export async function makeWorkspace(
  client: Queryable,
  workspaceId: string,
  { document, earlierTemplates }: SimulatedConfiguration,
  now: string,
): Promise<void> {
  const apply = async (part: object): Promise<void> => {
    const whole = { ...part, workspace: workspaceId };
    await applyWorkspace(client, { document: whole, prune: false, dryRun: false }, now);
  };
  for (const templates of earlierTemplates) await apply({ templates });
  await apply({ ...document, status: 'active' });
}

/** The same configuration with these channels only. */
export function onlyChannels(
  { document, earlierTemplates }: SimulatedConfiguration,
  channelIds: readonly string[],
): SimulatedConfiguration {
  const wanted = new Set(channelIds);
  const channels = Object.entries(document['channels'] ?? {}).filter(([id]) => wanted.has(id));
  return { document: { ...document, channels: Object.fromEntries(channels) }, earlierTemplates };
}

const Media = z.array(z.record(z.string(), z.unknown()));

/** The posts with their media as if these were in the store, and records of those media. */
export async function keepMedia(
  client: Queryable,
  workspaceId: string,
  arrivals: readonly Arrival[],
  known: Readonly<Record<string, KnownMedium>>,
  now: string,
): Promise<Arrival[]> {
  const kept = new Set<string>();
  const withMedia: Arrival[] = [];
  for (const arrival of arrivals) {
    const media = Media.safeParse(arrival.post['media']);
    if (!media.success) {
      withMedia.push(arrival);
      continue;
    }
    const stored = media.data.map(asStored);
    for (const { blob_ref: blobRef, type } of stored) {
      if (typeof blobRef !== 'string' || kept.has(blobRef)) continue;
      kept.add(blobRef);
      const medium = known[blobRef] ?? { ...unknownMedium, contentType: contentTypeOf(type) };
      await keepMedium(client, { workspaceId, blobRef }, medium, now);
    }
    withMedia.push({ ...arrival, post: { ...arrival.post, media: stored } });
  }
  return withMedia;
}

/** A medium at an address would have been copied to the store before the post is taken in. */
function asStored(medium: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { url, ...rest } = medium;
  return typeof url === 'string'
    ? { ...rest, blob_ref: `simulated-${sha256(url)}` }
    : { ...medium };
}

const unknownMedium = { sha256: undefined, sizeBytes: 100_000, pictureHash: null };

const contentTypes: Readonly<Record<string, string>> = {
  image: 'image/jpeg',
  photo: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/mpeg',
  animation: 'image/gif',
  gif: 'image/gif',
};

function contentTypeOf(type: unknown): string {
  return contentTypes[String(type)] ?? 'application/octet-stream';
}

async function keepMedium(
  client: Queryable,
  { workspaceId, blobRef }: { workspaceId: string; blobRef: string },
  medium: Omit<KnownMedium, 'sha256'> & { readonly sha256: string | undefined },
  now: string,
): Promise<void> {
  const { contentType, sizeBytes, pictureHash } = medium;
  const origin = {
    workspaceId,
    blobRef,
    originUrl: `folder:simulated/${sha256(blobRef)}`,
    sha256: medium.sha256 ?? sha256(blobRef),
    contentType,
    sizeBytes,
  };
  await keepMediaOrigin(client, origin, now);
  if (pictureHash !== null) await keepPictureHash(client, { workspaceId, blobRef, pictureHash });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
