// The sends of a simulation: each takes its place in its channel and in the sender, makes its calls one after the other,
// and ends as sent or failed. Calls beyond the first take slots of their own, as the dispatcher's do.

import type { SendError } from '../adapters/adapter.ts';
import {
  type AcknowledgedPart,
  type CallRequest,
  type ClaimedDelivery,
  takeCall,
} from '../db/claim.ts';
import type { Outcome } from '../db/commit.ts';
import type { Queryable } from '../db/pool.ts';
import { millisOf } from '../db/simulate.ts';
import { createCallPlanner, type PlannedCall } from './calls.ts';
import type { Rendering, SimulatedDelivery } from './delivery.ts';
import type { DurationOf } from './durations.ts';
import { createEventQueue, type Timed } from './event-queue.ts';
import { errorOf, type FaultsOf } from './faults.ts';
import type { Limits } from './limits.ts';
import { createPlaces, type Places } from './places.ts';

export interface SendsOptions {
  readonly client: Queryable;
  readonly workspaceId: string;
  readonly limits: Limits;
  readonly durationOf: DurationOf;
  readonly faultsOf: FaultsOf;
  /** How long a platform that answers 429 asks to wait. */
  readonly retryAfterMs: number;
  /** How long a call may take, unless its channel says otherwise. */
  readonly timeoutMs: number;
  /** The most sends at once. */
  readonly places: number;
  readonly maxParallelOf: (channelId: string) => number;
}

/** A send that has ended. */
export interface Ended {
  readonly record: SimulatedDelivery;
  readonly outcome: Outcome;
}

interface Send {
  readonly delivery: ClaimedDelivery;
  readonly record: SimulatedDelivery;
  readonly calls: readonly PlannedCall[];
  readonly parts: AcknowledgedPart[];
  /** The place of the call that is made or waited for. */
  call: number;
  slots: CallRequest['slots'];
}

export interface Sends {
  /** Begins a claimed delivery at its slot, or as soon as there is a place. */
  begin(delivery: ClaimedDelivery, record: SimulatedDelivery): void;
  /** When the next send ends that must be looked at by itself: it fails, or needs another call. */
  nextSpecialAt(): number;
  nextAt(): number;
  /** Plain successes up to a time. */
  takeSent(until: number): Timed<Ended>[];
  /** Goes on with what happens at a time apart from plain successes; answers with the failures. */
  goOn(at: number): Promise<Timed<Ended>[]>;
  free(): number;
  underWay(): number;
}

/** We ask again for a slot after this long at most, as the dispatcher does. */
const longestWaitMs = 10_000;

export function createSends(options: SendsOptions): Sends {
  const { client, workspaceId, limits, durationOf, faultsOf, retryAfterMs } = options;
  const planOf = createCallPlanner();
  const places = createPlaces(options.places);
  const rooms = new Map<string, Places>();
  const callsMade = new Map<string, number>();
  const sent = createEventQueue<Ended>();
  const failed = createEventQueue<Ended>();
  const waiting = createEventQueue<Send>();
  let underWay = 0;

  function roomOf(channelId: string): Places {
    const known = rooms.get(channelId) ?? createPlaces(options.maxParallelOf(channelId));
    rooms.set(channelId, known);
    return known;
  }

  /** Makes the call of a send that has its slots. */
  function makeCall(send: Send, at: number): void {
    const { channelId, platform, settings } = send.delivery.channel;
    const call = callsMade.get(channelId) ?? 0;
    callsMade.set(channelId, call + 1);
    const fault = faultsOf({ channelId, call });
    const end = at + durationOf(platform, { channelId, call });
    if (fault === undefined) return succeed(send, end);
    const own = Number(settings['timeout']) * 1000;
    const timeoutMs = Number.isFinite(own) ? own : options.timeoutMs;
    fail(send, fault === 'timeout' ? at + timeoutMs : end, errorOf(fault, retryAfterMs));
  }

  function succeed(send: Send, at: number): void {
    const { part } = send.calls[send.call] ?? {};
    if (part !== undefined) send.parts.push({ item: part, providerMessageId: `sim-${part}` });
    send.call += 1;
    if (send.call < send.calls.length) {
      waiting.add(at, send);
      return;
    }
    const { deliveryId, claimToken } = send.delivery;
    const outcome: Outcome = { deliveryId, claimToken, ok: true, providerMessageId: 'sim' };
    sent.add(at, { record: send.record, outcome });
    leave(send, at);
  }

  function fail({ delivery, record, parts }: Send, at: number, error: SendError): void {
    const { deliveryId, claimToken, channel } = delivery;
    const isHeld = error.outcome === 'unknown' && channel.settings['on_unknown'] === 'hold';
    const told = isHeld ? { ...error, category: 'PERMANENT' as const } : error;
    failed.add(at, { record, outcome: { deliveryId, claimToken, ok: false, error: told, parts } });
    leave({ delivery }, at);
  }

  function leave({ delivery }: Pick<Send, 'delivery'>, at: number): void {
    places.give(at);
    roomOf(delivery.channel.channelId).give(at);
  }

  /** Asks for the slots of the next call; makes it when they have come. */
  async function ask(send: Send, at: number): Promise<void> {
    const { deliveryId, claimToken } = send.delivery;
    const { messages } = send.calls[send.call] ?? { messages: 1 };
    const request = { workspaceId, deliveryId, claimToken, messages, slots: send.slots };
    const taken = await takeCall(client, request, new Date(at).toISOString());
    if (taken === undefined) throw new Error('a simulated send has lost its claim');
    if (taken.waitMs === 0) {
      send.slots = undefined;
      makeCall(send, at);
      return;
    }
    send.slots = taken.slots;
    waiting.add(at + Math.max(1, Math.min(Math.ceil(taken.waitMs), longestWaitMs)), send);
  }

  return {
    begin(delivery, record) {
      const { channelId } = delivery.channel;
      const slot = millisOf(delivery.notBefore);
      const [roomAt, placeAt] = [roomOf(channelId).take(), places.take()];
      const at = Math.max(slot, record.readyAt, roomAt, placeAt);
      const calls = planOf(delivery);
      const weight = calls[0]?.messages ?? 1;
      const { since, readyAt } = record;
      limits.begin(channelId, { at, since, readyAt, roomAt, placeAt, weight });
      record.startedAt = at;
      record.attempts += 1;
      record.rendering ??= renderingOf(delivery);
      underWay += 1;
      makeCall({ delivery, record, calls, parts: [], call: 0, slots: undefined }, at);
    },
    nextSpecialAt: () => Math.min(failed.nextAt(), waiting.nextAt()),
    nextAt: () => Math.min(sent.nextAt(), failed.nextAt(), waiting.nextAt()),
    takeSent(until) {
      const ended = sent.takeUntil(until);
      underWay -= ended.length;
      return ended;
    },
    async goOn(at) {
      for (const { event } of waiting.takeUntil(at)) await ask(event, at);
      const ended = failed.takeUntil(at);
      underWay -= ended.length;
      return ended;
    },
    free: () => options.places - underWay,
    underWay: () => underWay,
  };
}

function renderingOf({ renderedText, renderMeta }: ClaimedDelivery): Rendering {
  return { text: renderedText, plan: JSON.stringify(renderMeta) };
}
