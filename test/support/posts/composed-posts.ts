// Lets the database compose posts, and says in short what came out.

import { z } from 'zod';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import { start } from '../database/seed.ts';
import type { Draft } from '../oracles/preflight.ts';

export interface Request {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly platform: string;
  readonly tags?: readonly string[];
  readonly templateRef?: string | undefined;
  readonly sendMode?: 'text' | 'media' | 'mixed' | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

const part = z.strictObject({
  kind: z.enum(['text', 'media']),
  media: z.array(z.number()).optional(),
  caption: z.literal(true).optional(),
  buttons: z.literal(true).optional(),
  weight: z.int().min(2).optional(),
});

const meta = z.strictObject({
  format: z.enum(['HTML', 'Markdown']).optional(),
  parts: z.array(part).optional(),
  buttons: z.array(z.array(z.object({ text: z.string() }).loose())).optional(),
  disable_preview: z.literal(true).optional(),
  left_out: z
    .strictObject({ media: z.int().min(1).optional(), text: z.literal(true).optional() })
    .optional(),
});

const composed = z.object({
  rendered_text: z.string(),
  render_meta: meta,
  template_version: z.string().nullable(),
  fault: z.string().nullable(),
});

export type ComposedPost = z.output<typeof composed>;

/** Composes posts of workspace `w`, many in one call. */
export function composePosts(
  client: Queryable,
  requests: readonly Request[],
): Promise<ComposedPost[]> {
  return queryRows(
    client,
    composed,
    `select c.rendered_text, c.render_meta, c.template_version, c.fault
     from jsonb_array_elements($1) with ordinality as r (request, n)
     join outrider.platforms p on p.platform = r.request ->> 'platform'
     cross join lateral outrider.compose_post(
       'w', r.request -> 'payload',
       array(select jsonb_array_elements_text(r.request -> 'tags')),
       p, r.request ->> 'templateRef',
       coalesce(r.request ->> 'sendMode', 'mixed')::outrider.send_mode,
       coalesce(r.request -> 'settings', '{}')
     ) c
     order by r.n`,
    [JSON.stringify(requests)],
  );
}

export async function composePost(client: Queryable, request: Request): Promise<ComposedPost> {
  const [post] = await composePosts(client, [request]);
  if (post === undefined) throw new Error('the post was not composed');
  return post;
}

/** The fault, or the plan in short: `text with buttons | 0 1 with text | 2`. */
export function outcomeOf(post: ComposedPost): string {
  if (post.fault !== null) return post.fault;
  return (post.render_meta.parts ?? [])
    .map((each) => {
      const what = each.kind === 'text' ? 'text' : (each.media ?? []).join(' ');
      return `${what}${each.caption ? ' with text' : ''}${each.buttons ? ' with buttons' : ''}`;
    })
    .join(' | ');
}

/** A draft as intake would have normalised it. */
export function payloadOf(draft: Draft): Record<string, unknown> {
  const media = draft.media?.map((item, place) => ({
    type: item.type,
    ...(item.blob === undefined
      ? { url: `https://a.b/${place}` }
      : { blob_ref: item.blob === 'missing' ? 'missing' : blobRef(item.blob.bytes) }),
    ...(item.caption === undefined ? {} : { caption: item.caption }),
  }));
  return {
    type: media === undefined ? 'text' : 'media',
    ...(draft.title === undefined ? {} : { title: draft.title }),
    ...(draft.text === undefined ? {} : { text: draft.text.source }),
    ...(draft.text?.format === undefined ? {} : { parse_mode: draft.text.format }),
    ...(media === undefined ? {} : { media }),
    ...(draft.buttons === undefined ? {} : { buttons: [draft.buttons] }),
  };
}

/** Puts blobs of these sizes into the origin store of workspace `w`. */
export async function storeBlobs(client: Queryable, sizes: Iterable<number | null>): Promise<void> {
  for (const bytes of new Set(sizes)) {
    await client.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, size_bytes, last_seen_at, created_at)
       values ('w', $1, 'https://store/' || $1, $2, $3, $3)
       on conflict do nothing`,
      [blobRef(bytes), bytes, start],
    );
  }
}

export function blobRef(bytes: number | null): string {
  return `blob-${bytes ?? 'unknown'}`;
}

export async function addTemplate(
  client: Queryable,
  id: string,
  version: number,
  body: string,
  defaults: object = {},
  workspace = 'w',
): Promise<void> {
  await client.query(
    `insert into outrider.templates (workspace_id, template_id, version, body, defaults, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [workspace, id, version, body, JSON.stringify(defaults), start],
  );
}
