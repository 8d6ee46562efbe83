// Takes the posts of a simulation in, by the function that takes in real ones, and notes the verdict on every channel.

import { type ChannelVerdict, type EnqueuedBatch, enqueueBatch } from '../db/intake.ts';
import type { Queryable } from '../db/pool.ts';
import type { Arrival, SimulatedDelivery } from './delivery.ts';

/** What became of a post: a verdict on each channel, or why it was not taken in. */
export type PostVerdict =
  | { readonly ok: true; readonly channels: readonly ChannelVerdict[] }
  | { readonly ok: false; readonly reason: string };

export interface Intake {
  /** When the next post comes; Infinity when there is none. */
  nextAt(): number;
  /** Takes in the posts that come up to `until`, at the time `now`. */
  takeUntil(until: number, now: number): Promise<void>;
  /** By the place of the post. */
  readonly verdicts: readonly PostVerdict[];
  readonly deliveries: ReadonlyMap<string, SimulatedDelivery>;
}

/** The most posts of one call: larger ones take more memory, and hardly less time. */
const batch = 200;

export function createIntake(
  client: Queryable,
  workspaceId: string,
  arrivals: readonly Arrival[],
): Intake {
  const verdicts: PostVerdict[] = [];
  const deliveries = new Map<string, SimulatedDelivery>();
  const nextAt = (): number => arrivals[verdicts.length]?.at ?? Number.POSITIVE_INFINITY;

  async function takeBatch(until: number, now: string): Promise<void> {
    const taken: Arrival[] = [];
    for (let n = verdicts.length; taken.length < batch; n += 1) {
      const next = arrivals[n];
      if (next === undefined || next.at > until) break;
      taken.push(next);
    }
    const items = taken.map(({ post }) => post);
    const enqueued = await enqueueBatch(client, { workspaceId, kind: 'pull', items }, now);
    for (const [n, arrival] of taken.entries()) note(arrival, verdictOf(enqueued.items, n));
  }

  function note({ at }: Arrival, verdict: PostVerdict): void {
    const post = verdicts.length;
    verdicts.push(verdict);
    if (!verdict.ok) return;
    const wanted = wantedAt(at, arrivals[post]?.post['scheduled_for']);
    for (const each of verdict.channels) {
      if (each.verdict !== 'queued') continue;
      const { deliveryId, channelId } = each;
      deliveries.set(deliveryId, {
        deliveryId,
        post,
        channelId,
        arrivedAt: at,
        startedAt: undefined,
        sentAt: undefined,
        failedAt: undefined,
        status: 'waiting',
        attempts: 0,
        rendering: undefined,
        since: wanted,
        readyAt: wanted,
      });
    }
  }

  return {
    nextAt,
    async takeUntil(until, now) {
      while (nextAt() <= until) await takeBatch(until, new Date(now).toISOString());
    },
    verdicts,
    deliveries,
  };
}

/** A post that is scheduled for later does not wait until then: nobody wants it earlier. */
function wantedAt(at: number, scheduledFor: unknown): number {
  const scheduled = typeof scheduledFor === 'string' ? Date.parse(scheduledFor) : Number.NaN;
  return Number.isNaN(scheduled) ? at : Math.max(at, scheduled);
}

function verdictOf(items: EnqueuedBatch['items'], n: number): PostVerdict {
  const item = items[n];
  if (item === undefined) throw new Error('the database gave no verdict on a post');
  if (item.verdict === 'rejected') return { ok: false, reason: item.reason };
  if (item.repeatsItem === null) return { ok: true, channels: item.channels };
  const twin = items[item.repeatsItem - 1];
  const channels = twin?.verdict === 'accepted' ? twin.channels : [];
  return { ok: true, channels: channels.map(asRepeat) };
}

/** The verdict on a post that came twice at once: the second is a repeat wherever the first was queued. */
function asRepeat(verdict: ChannelVerdict): ChannelVerdict {
  if (verdict.verdict !== 'queued') return verdict;
  const { channelId, deliveryId } = verdict;
  return { verdict: 'deduped', channelId, because: 'inflight', deliveryId, until: null };
}
