// What is wrong with a post, and where. The database says what; this file finds the place.

import { z } from 'zod';
import type { ComposedPost } from '../db/intake.ts';
import { type Place, placeIn, unitAtByte, unitBehind, unitInOriginal } from './places.ts';

/** Where it is: in the post as it was handed in, in the text that would be sent, or in what readers would see. */
export type Where = 'post' | 'rendered_text' | 'shown_text';

export interface Violation {
  readonly message: string;
  /** The part of the post that is meant, such as `media[2]`; null when no part alone is. */
  readonly path: string | null;
  readonly in: Where | null;
  readonly place: Place | null;
}

/** The post as it was handed in, as far as places in it are looked for. */
const Given = z.looseObject({
  text: z.string().optional().catch(undefined),
  media: z
    .array(z.looseObject({ caption: z.string().optional().catch(undefined) }).catch({}))
    .catch([])
    .default([]),
});

type Given = z.output<typeof Given>;

/** A post that cannot be taken in at all. */
export function rejection(message: string, rawPost: unknown): Violation {
  const path = /^[a-z_]+(?:\[\d+\])*(?:\.[a-z_]+)*(?= )/.exec(message)?.[0] ?? null;
  const given = givenOf(rawPost);
  const limit = /^text has \d+ characters; the limit is (\d+)$/.exec(message)?.[1];
  if (limit === undefined || given?.text === undefined) {
    return { message, path: isPathIn(rawPost, path) ? path : null, in: null, place: null };
  }
  const at = unitBehind(given.text, Number(limit), 'code_points');
  return { message, path: 'text', in: 'post', place: placeIn(given.text, at) };
}

/** The first word of a sentence is a path if it is a field of the post, or leads into one. */
function isPathIn(rawPost: unknown, word: string | null): boolean {
  if (word === null || typeof rawPost !== 'object' || rawPost === null) return false;
  return /[[.]/.test(word) || Object.hasOwn(rawPost, word);
}

/** A post that a platform would refuse. `normalText` is the post's text as it is kept. */
export function violationOf(
  post: ComposedPost,
  rawPost: unknown,
  normalText: string | undefined,
): Violation | undefined {
  const { fault: message } = post;
  if (message === null) return undefined;
  const path = /(?:media\[\d+\]|buttons\[\d+\]\[\d+\])/.exec(message)?.[0] ?? null;
  const given = givenOf(rawPost);
  if (path !== null) return ofPart(message, path, post, given);
  const spot = spotOf(post);
  if (spot === undefined) return { message, path: null, in: null, place: null };
  return inPost(message, spot, given?.text, normalText);
}

function givenOf(rawPost: unknown): Given | undefined {
  return Given.safeParse(rawPost).data;
}

function ofPart(
  message: string,
  path: string,
  { captionMax }: ComposedPost,
  given: Given | undefined,
): Violation {
  const ofCaption = /^the caption of media\[(\d+)\]/.exec(message)?.[1];
  const caption = given?.media[Number(ofCaption)]?.caption;
  if (caption === undefined || captionMax === null) {
    return { message, path, in: null, place: null };
  }
  const at = unitBehind(caption, captionMax, 'code_points');
  return { message, path: `${path}.caption`, in: 'post', place: placeIn(caption, at) };
}

interface Spot {
  readonly in: 'rendered_text' | 'shown_text';
  readonly text: string;
  /** In UTF-16 units. */
  readonly at: number;
}

function spotOf(post: ComposedPost): Spot | undefined {
  const { renderedText: text, faultAt, countedText, lengthMax, lengthUnit, bytesMax, fault } = post;
  if (faultAt !== null) return { in: 'rendered_text', text, at: unitAtByte(text, faultAt) };
  if (countedText !== null) {
    const at = unitBehind(countedText, lengthMax, lengthUnit);
    // Without markup what is shown is a stretch of what is sent.
    const start = text.indexOf(countedText);
    if (start === -1) return { in: 'shown_text', text: countedText, at };
    return { in: 'rendered_text', text, at: start + at };
  }
  if (bytesMax !== null && fault !== null && /^the text has [\d,]+ bytes/.test(fault)) {
    return { in: 'rendered_text', text, at: unitAtByte(text, bytesMax) };
  }
  return undefined;
}

/** In the text of the post as it was handed in, if the spot is a place of it. */
function inPost(
  message: string,
  spot: Spot,
  original: string | undefined,
  normal: string | undefined,
): Violation {
  const own = normal === undefined || normal === '' ? -1 : spot.text.indexOf(normal);
  const within = spot.at - own;
  if (
    spot.in === 'rendered_text' &&
    own !== -1 &&
    original !== undefined &&
    normal !== undefined &&
    within >= 0 &&
    within <= normal.length
  ) {
    const at = unitInOriginal(original, normal, within);
    if (at !== undefined) {
      return { message, path: 'text', in: 'post', place: placeIn(original, at) };
    }
  }
  return { message, path: null, in: spot.in, place: placeIn(spot.text, spot.at) };
}
