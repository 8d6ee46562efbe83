// Two runs over the same posts, compared post by post and channel by channel.

import type { ChannelVerdict } from '../db/intake.ts';
import type { Rendering } from './delivery.ts';
import type { RunResult } from './run.ts';

/** What becomes of a post in a channel. */
export type Fate =
  | { readonly kind: 'queued'; readonly rendering: Rendering | undefined }
  | { readonly kind: 'suppressed'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'not_routed'; readonly reason: string };

export interface Difference {
  readonly kind: 'added' | 'lost' | 'suppressed' | 'refused' | 'rendered';
  /** The place of the post. */
  readonly post: number;
  readonly channelId: string;
  readonly before: Fate;
  readonly after: Fate;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Deliveries that both runs make, and that look the same. */
  readonly same: number;
}

const absent: Fate = { kind: 'not_routed', reason: 'there is no such channel' };

export function compare(before: RunResult, after: RunResult): Comparison {
  const [earlier, later] = [fatesOf(before), fatesOf(after)];
  const differences: Difference[] = [];
  let same = 0;
  for (const [post, fates] of earlier.entries()) {
    const others = later[post] ?? new Map<string, Fate>();
    for (const channelId of [...new Set([...fates.keys(), ...others.keys()])].toSorted()) {
      const [was, is] = [fates.get(channelId) ?? absent, others.get(channelId) ?? absent];
      const kind = differenceOf(was, is);
      if (kind !== undefined) differences.push({ kind, post, channelId, before: was, after: is });
      else if (is.kind === 'queued') same += 1;
    }
  }
  return { differences, same };
}

/** The fate of each post, by channel. */
function fatesOf({ verdicts, deliveries }: RunResult): Map<string, Fate>[] {
  const renderings = new Map(deliveries.map((each) => [each.deliveryId, each.rendering]));
  return verdicts.map((verdict) => {
    if (!verdict.ok) return new Map<string, Fate>();
    return new Map(verdict.channels.map((each) => [each.channelId, fateOf(each, renderings)]));
  });
}

function fateOf(
  verdict: ChannelVerdict,
  renderings: ReadonlyMap<string, Rendering | undefined>,
): Fate {
  if (verdict.verdict === 'queued') {
    return { kind: 'queued', rendering: renderings.get(verdict.deliveryId) };
  }
  if (verdict.verdict === 'deduped') {
    return { kind: 'suppressed', reason: repeatInWords[verdict.because] };
  }
  if (verdict.verdict === 'validation_failed') return { kind: 'refused', reason: verdict.reason };
  return { kind: 'not_routed', reason: routeInWords[verdict.rule] };
}

const repeatInWords = {
  sent: 'the channel had the same post within its dedup window',
  inflight: 'the same post was on its way to the channel',
  similar: 'the channel had a post that is nearly the same',
} as const;

const routeInWords = {
  disabled: 'the channel is disabled',
  include_any: 'it has none of the tags of include_any',
  include_all: 'it lacks a tag of include_all',
  exclude: 'it has a tag of exclude',
  text_only: 'the channel takes no media',
} as const;

function differenceOf(before: Fate, after: Fate): Difference['kind'] | undefined {
  if (before.kind !== 'queued') return after.kind === 'queued' ? 'added' : undefined;
  if (after.kind === 'suppressed' || after.kind === 'refused') return after.kind;
  if (after.kind === 'not_routed') return 'lost';
  return isSame(before.rendering, after.rendering) ? undefined : 'rendered';
}

/** A delivery that was never begun in one of the runs cannot be compared. */
function isSame(before: Rendering | undefined, after: Rendering | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return before.text === after.text && before.plan === after.plan;
}
