// The parts of a post as readers would see them, from a rehearsal; from the plan alone where a platform has no simulator.

import type { ButtonView, MediaView, PostView } from '../../sandbox/simulator.ts';
import type { Part } from '../adapters/adapter.ts';
import type { PreviewedMedium } from './previewed-media.ts';
import { type Rehearsed, rehearse, type ShownPart } from './rehearsal.ts';
import type { Violation } from './violations.ts';

/** What one call sends. */
export interface PreviewPart {
  /** An album is several media of one call. */
  readonly kind: 'text' | 'media' | 'album';
  readonly messages: readonly PreviewMessage[];
}

export interface PreviewMessage {
  /** As read: without markup. */
  readonly text: string;
  /** The same as safe HTML: b, i, u, s, code, pre, a, blockquote and span.spoiler. */
  readonly html: string;
  readonly attachments: readonly PreviewAttachment[];
  readonly buttons: readonly (readonly ButtonView[])[];
}

export interface PreviewAttachment {
  /** The platform's word for it. */
  readonly kind: string;
  /** Its place in the post: `media[2]`. */
  readonly path: string;
  readonly label: string;
  readonly url?: string | undefined;
  /** A link that was not fetched. */
  readonly isLink: boolean;
}

export interface Shown {
  readonly parts: readonly PreviewPart[];
  readonly violations: readonly Violation[];
}

export async function shownParts(
  platform: string,
  post: Rehearsed,
  media: readonly PreviewedMedium[],
): Promise<Shown> {
  const rehearsal = await rehearse(platform, post);
  if (rehearsal === undefined) return { parts: [], violations: [] };
  const { refusal } = rehearsal;
  return {
    parts: rehearsal.parts.map((each) => previewPart(each, media)),
    violations: refusal === null ? [] : [{ message: refusal, path: null, in: null, place: null }],
  };
}

function previewPart(
  { part, messages }: ShownPart,
  media: readonly PreviewedMedium[],
): PreviewPart {
  const own = part.kind === 'media' ? part.media : [];
  let next = 0;
  const attachmentOf = ({ type }: MediaView): PreviewAttachment => {
    const index = own[next];
    const medium = index === undefined ? undefined : media[index];
    next += 1;
    const { path = '', label = type, url, isLink = false } = medium ?? {};
    return { kind: type, path, label, url, isLink };
  };
  return {
    kind: kindOf(part),
    messages: messages.map((message) => previewMessage(message, attachmentOf)),
  };
}

function kindOf(part: Part): PreviewPart['kind'] {
  if (part.kind === 'text') return 'text';
  return part.media.length > 1 ? 'album' : 'media';
}

function previewMessage(
  { text, html, media, buttons }: PostView,
  attachmentOf: (shown: MediaView) => PreviewAttachment,
): PreviewMessage {
  return { text, html, attachments: media.map(attachmentOf), buttons };
}

/** The messages of a part as an app shows them: an album is one, however many the platform makes of it. */
export function inOneBubble({ kind, messages }: PreviewPart): readonly PreviewMessage[] {
  const [first] = messages;
  if (kind !== 'album' || first === undefined) return messages;
  const join = (pick: (message: PreviewMessage) => string): string =>
    messages.map(pick).filter(Boolean).join('\n');
  const attachments = messages.flatMap((each) => each.attachments);
  return [
    { ...first, text: join(({ text }) => text), html: join(({ html }) => html), attachments },
  ];
}
