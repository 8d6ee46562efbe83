// A claimed delivery as an adapter takes it, with its secret and its media resolved, or the error that prevents it.

import { z } from 'zod';
import type { Blob, SendError, SendMedia, SendRequest } from '../adapters/adapter.ts';
import { sendError } from '../adapters/answer.ts';
import type { ClaimedDelivery } from '../db/claim.ts';

/** What a send needs from the dispatcher. */
export interface SendContext {
  /** The secret of a channel, or why there is none. */
  secretOf(channel: ClaimedDelivery['channel']): Promise<{ token: string } | { error: SendError }>;
  /** As the store does: undefined when the bytes are gone. */
  openOrigin(originUrl: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  keepCopy(copy: CopyOf & { fileId: string; expiresAt: Date | undefined }): Promise<void>;
  forgetCopy(copy: CopyOf & { fileId: string }): Promise<void>;
  now(): Date;
}

interface CopyOf {
  readonly blobRef: string;
  readonly provider: string;
  readonly authRef: string;
}

const Button = z.union([
  z.object({ text: z.string(), url: z.string() }),
  z.object({ text: z.string(), payload: z.string() }),
]);

const Part = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), buttons: z.boolean().default(false) }),
  z.object({
    kind: z.literal('media'),
    media: z.array(z.int()),
    caption: z.boolean().default(false),
    buttons: z.boolean().default(false),
  }),
]);

const RenderMeta = z.object({
  format: z.enum(['HTML', 'Markdown']).optional(),
  // A delivery that was inserted by hand has no plan: its text is all there is.
  parts: z.array(Part).default([{ kind: 'text', buttons: false }]),
  buttons: z.array(z.array(Button)).default([]),
  disable_preview: z.boolean().default(false),
  series_progress: z
    .object({ sent_items: z.array(z.int()), provider_message_ids: z.array(z.string()) })
    .optional(),
});

const Item = z.object({
  type: z.enum(['image', 'video', 'audio', 'file', 'animation']),
  url: z.string().optional(),
  blob_ref: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
});

const Payload = z.object({ media: z.array(Item).default([]) });

const Stored = z.object({
  origin_url: z.string().nullable(),
  content_type: z.string().nullable(),
  size_bytes: z.number().nullable(),
  file_id: z.string().nullable(),
  expires_at: z.string().nullable(),
});

const readMeta = once((meta: ClaimedDelivery['renderMeta']) => RenderMeta.safeParse(meta));
const readPayload = once((payload: NonNullable<ClaimedDelivery['payload']>) =>
  Payload.safeParse(payload),
);
const noMedia = Payload.safeParse({});

/** A claim hands the same object to many deliveries (repeatedJson): each is read once. */
function once<Given extends object, Read>(read: (given: Given) => Read): (given: Given) => Read {
  const known = new WeakMap<Given, Read>();
  return (given) => {
    const before = known.get(given);
    if (before !== undefined) return before;
    const now = read(given);
    known.set(given, now);
    return now;
  };
}

/** Everything that a send needs, or why it cannot be tried. */
export async function sendRequestOf(
  delivery: ClaimedDelivery,
  context: SendContext,
): Promise<{ request: SendRequest } | { error: SendError }> {
  const meta = readMeta(delivery.renderMeta);
  const payload = delivery.payload === null ? noMedia : readPayload(delivery.payload);
  if (!meta.success || !payload.success) {
    const message = 'the delivery has a plan or a payload of another version';
    return { error: sendError('unreadable_delivery', message) };
  }
  const sent = new Set(meta.data.parts.flatMap((part) => ('media' in part ? part.media : [])));
  const media: SendMedia[] = [];
  for (const [place, item] of payload.data.media.entries()) {
    // One that no part sends was left out, and need not be there.
    const resolved = sent.has(place) ? mediaOf(item, delivery, context) : linkTo(item);
    if ('error' in resolved) return resolved;
    media.push(resolved);
  }
  const secret = await context.secretOf(delivery.channel);
  if ('error' in secret) return secret;

  const { format = 'None', parts, buttons, series_progress: progress } = meta.data;
  const ids = progress?.provider_message_ids ?? [];
  const done = (progress?.sent_items ?? []).map((item, n) => [item, ids[n] ?? ''] as const);
  const { channelId, targetId, authRef, settings } = delivery.channel;
  return {
    request: {
      deliveryId: delivery.deliveryId,
      traceId: delivery.traceId,
      channel: { channelId, targetId, authRef, settings },
      token: secret.token,
      text: delivery.renderedText,
      format,
      disablePreview: meta.data.disable_preview,
      buttons,
      media,
      parts,
      partsDone: new Map(done),
      outcomeUnknown: delivery.outcomeUnknown,
    },
  };
}

function linkTo({ type, caption, url = '' }: z.output<typeof Item>): SendMedia {
  return { type, caption, source: { url } };
}

function mediaOf(
  item: z.output<typeof Item>,
  delivery: ClaimedDelivery,
  context: SendContext,
): SendMedia | { error: SendError } {
  const { type, caption } = item;
  if (item.blob_ref === undefined) return linkTo(item);
  const stored = Stored.safeParse(delivery.media?.[item.blob_ref]);
  const originUrl = stored.data?.origin_url ?? undefined;
  const expiresAt = stored.data?.expires_at ?? undefined;
  const expired = expiresAt !== undefined && new Date(expiresAt) <= context.now();
  const fileId = expired ? undefined : (stored.data?.file_id ?? undefined);
  if (fileId === undefined && originUrl === undefined) {
    const message = `blob "${item.blob_ref}" is not in the origin store any more`;
    return { error: sendError('media_missing_origin', message) };
  }
  const copy = {
    blobRef: item.blob_ref,
    provider: delivery.channel.platform,
    authRef: delivery.channel.authRef,
  };
  const blob: Blob = {
    blobRef: item.blob_ref,
    filename: item.filename ?? filenameOf(type, stored.data?.content_type),
    contentType: stored.data?.content_type ?? 'application/octet-stream',
    sizeBytes: stored.data?.size_bytes ?? undefined,
    fileId,
    open: () => context.openOrigin(originUrl ?? ''),
    keep: (kept, until) => context.keepCopy({ ...copy, fileId: kept, expiresAt: until }),
    forget: () =>
      fileId === undefined ? Promise.resolve() : context.forgetCopy({ ...copy, fileId }),
  };
  return { type, caption, source: { blob } };
}

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'application/octet-stream': 'bin',
};

function filenameOf(type: string, contentType: string | null | undefined): string {
  const known = contentType ?? 'application/octet-stream';
  return `${type}.${extensions[known] ?? known.split('/')[1] ?? 'bin'}`;
}
