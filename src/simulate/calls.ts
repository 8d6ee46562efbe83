// The calls that a delivery takes, as its platform counts them: for each part the uploads of its media, then the post.

import { z } from 'zod';
import type { Pace } from '../adapters/platform.ts';
import { platforms } from '../adapters/platforms.ts';
import type { ClaimedDelivery } from '../db/claim.ts';

export interface PlannedCall {
  /** How many messages the platform counts it for. */
  readonly messages: number;
  /** The part that is out when the call has succeeded; undefined: an upload. */
  readonly part: number | undefined;
}

const Plan = z.object({
  parts: z
    .array(z.object({ media: z.array(z.number()).default([]), weight: z.number().default(1) }))
    .default([]),
  series_progress: z.object({ sent_items: z.array(z.unknown()) }).optional(),
});
const Media = z.object({
  media: z.array(z.object({ blob_ref: z.string().optional() })).default([]),
});

const oneCall: readonly PlannedCall[] = [{ messages: 1, part: 0 }];

/** Plans calls. A file is uploaded once with each credential, so the plan of a later delivery has fewer calls. */
export function createCallPlanner(): (delivery: ClaimedDelivery) => readonly PlannedCall[] {
  const uploaded = new Set<string>();

  return ({ renderMeta, payload, channel }) => {
    if (renderMeta['parts'] === undefined) return oneCall;
    const { parts, series_progress: progress } = Plan.parse(renderMeta);
    const { media } = Media.parse(payload ?? {});
    const uploads = paceOf(channel.platform)?.uploadCalls ?? 0;
    const calls: PlannedCall[] = [];
    for (const [n, part] of parts.entries()) {
      if (n < (progress?.sent_items.length ?? 0)) continue;
      for (const place of part.media) {
        const key = `${channel.authRef}\u0000${media[place]?.blob_ref ?? ''}`;
        const isNew = uploads > 0 && media[place]?.blob_ref !== undefined && !uploaded.has(key);
        if (!isNew) continue;
        uploaded.add(key);
        for (let call = 0; call < uploads; call += 1) calls.push({ messages: 1, part: undefined });
      }
      calls.push({ messages: part.weight, part: n });
    }
    return calls.length === 0 ? oneCall : calls;
  };
}

function paceOf(platform: string): Pace | undefined {
  return platforms.find(({ name }) => name === platform)?.pace;
}
