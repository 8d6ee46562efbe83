// What would become of a post if it were taken in now: in each channel the verdict, what readers would see, and what is
// wrong with it, and where. Nothing is written, sent or fetched.

import {
  previewPost as askDatabase,
  type ComposedPost,
  type Previewed,
  type PreviewedChannel,
} from '../db/intake.ts';
import type { Queryable } from '../db/pool.ts';
import { mediaOf, type PreviewedMedium, withStandIns } from './previewed-media.ts';
import { type PreviewPart, shownParts } from './shown-parts.ts';
import { rejection, type Violation, violationOf } from './violations.ts';

export interface PreviewRequest {
  readonly workspaceId: string;
  /** The endpoint that it would come to; null: none. */
  readonly endpointId: string | null;
  /** The post as JSON text. */
  readonly rawPost: string;
  /** Whether media that are links are copied before the post is taken in; when missing, they are. */
  readonly copiesLinks?: boolean | undefined;
  /** Which channels are wanted; all when missing. */
  readonly wants?: ((channelId: string) => boolean) | undefined;
}

export type Preview = RejectedPreview | AcceptedPreview;

export interface RejectedPreview {
  readonly verdict: 'rejected';
  readonly violations: readonly Violation[];
}

export interface AcceptedPreview
  extends Pick<Accepted, 'verdict' | 'receivedAt' | 'messageId' | 'seen' | 'tags'> {
  /** What the preview does not know, or knows otherwise than one might think. */
  readonly notes: readonly string[];
  readonly channels: readonly ChannelPreview[];
}

type Accepted = Exclude<Previewed, { verdict: 'rejected' }>;

export interface ChannelPreview extends Omit<PreviewedChannel, 'profile' | 'reason'> {
  /** Null where the post is not routed. */
  readonly post: PostPreview | null;
}

/** A post as a channel would get it. */
export interface PostPreview {
  /** With its markup, as it would be sent. */
  readonly renderedText: string;
  readonly format: string | null;
  readonly templateVersion: string | null;
  /** As the platform counts the text; null when it was not counted. */
  readonly length: number | null;
  readonly lengthMax: number;
  readonly lengthUnit: ComposedPost['lengthUnit'];
  readonly countsMarkup: boolean;
  /** What the settings of the channel leave out. */
  readonly leftOut: { readonly media?: number; readonly text?: true } | null;
  readonly violations: readonly Violation[];
  readonly parts: readonly PreviewPart[];
}

export async function previewPost(
  client: Queryable,
  request: PreviewRequest,
  now?: string,
): Promise<Preview> {
  const { workspaceId, endpointId, rawPost, copiesLinks = true, wants = () => true } = request;
  const previewed = await askDatabase(
    client,
    { workspaceId, endpointId, rawPayload: rawPost, copiesLinks },
    now,
  );
  const given: unknown = JSON.parse(rawPost);
  if (previewed.verdict === 'rejected') {
    return { verdict: 'rejected', violations: [rejection(previewed.reason, given)] };
  }
  const wanted = previewed.channels.filter(({ channelId }) => wants(channelId));
  const posts = await postsOf(previewed, wanted, given);
  const { verdict, receivedAt, messageId, seen, tags } = previewed;
  return {
    verdict,
    receivedAt,
    messageId,
    seen,
    tags,
    notes: notesOn(mediaOf(previewed.payload)),
    channels: wanted.map(({ profile, reason: _said, ...channel }) => ({
      ...channel,
      post: profile === null ? null : (posts.get(profile) ?? null),
    })),
  };
}

/** One for each profile: its channels get the same post. */
async function postsOf(
  previewed: Accepted,
  channels: readonly PreviewedChannel[],
  given: unknown,
): Promise<ReadonlyMap<number, PostPreview>> {
  const posts = new Map<number, PostPreview>();
  for (const { profile, platform } of channels) {
    const composed = profile === null ? null : previewed.posts[profile];
    if (profile === null || composed === null || composed === undefined) continue;
    if (!posts.has(profile)) posts.set(profile, await postOf(previewed, platform, composed, given));
  }
  return posts;
}

async function postOf(
  { payload, media }: Accepted,
  platform: string,
  composed: ComposedPost,
  given: unknown,
): Promise<PostPreview> {
  const { renderedText, renderMeta, templateVersion } = composed;
  const text = typeof payload['text'] === 'string' ? payload['text'] : undefined;
  const violation = violationOf(composed, given, text);
  const shown =
    violation === undefined
      ? await shownParts(
          platform,
          { ...withStandIns(payload, media), renderedText, renderMeta },
          mediaOf(payload),
        )
      : { parts: [], violations: [violation] };
  return {
    renderedText,
    format: typeof renderMeta['format'] === 'string' ? renderMeta['format'] : null,
    templateVersion,
    length: composed.length,
    lengthMax: composed.lengthMax,
    lengthUnit: composed.lengthUnit,
    countsMarkup: composed.countsMarkup,
    leftOut: leftOutOf(renderMeta['left_out']),
    ...shown,
  };
}

function leftOutOf(given: unknown): PostPreview['leftOut'] {
  if (typeof given !== 'object' || given === null) return null;
  const media = 'media' in given && typeof given.media === 'number' ? { media: given.media } : {};
  return { ...media, ...('text' in given && given.text === true ? { text: true as const } : {}) };
}

function notesOn(media: readonly PreviewedMedium[]): string[] {
  const links = media.filter(({ isLink }) => isLink).map(({ path }) => path);
  if (links.length === 0) return [];
  const isOne = links.length === 1;
  const which = isOne ? 'is a link that was' : 'are links that were';
  return [
    `${links.join(', ')} ${which} not fetched: ${isOne ? 'its size is' : 'their sizes are'} not known, nor whether the same content came before`,
  ];
}
