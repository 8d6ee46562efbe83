// Webhooks: sends an event to each subscription that wants it. An event that is not answered with 200 is sent again
// after 60 s, 150 s, 375 s and so on, ten times in all. A subscription that has had no success for eight hours ends.

import type { SimulatorContext } from '../simulator.ts';
import { writeJson } from './json.ts';
import type { Update } from './updates.ts';

export interface Subscription {
  readonly url: string;
  readonly time: number;
  readonly secret?: string | undefined;
  /** All types when missing. */
  readonly updateTypes?: readonly string[] | undefined;
}

export interface Webhooks {
  list(): Subscription[];
  /** Replaces an earlier subscription of the same address (assumed). */
  add(subscription: Subscription): void;
  /** Returns whether there was one. */
  remove(url: string): boolean;
  deliver(update: Update): void;
}

const answerTime = 30_000;
const firstRetry = 60_000;
const growth = 2.5;
const attemptsMax = 10;
const patience = 8 * 3600 * 1000;

export function createWebhooks(context: SimulatorContext): Webhooks {
  const { clock } = context;
  const live = new Map<string, Subscription>();
  /** What is cancelled when the subscription ends: its next attempts, and the eight-hour limit. */
  const pending = new Map<Subscription, Set<() => void>>();
  const failing = new Map<Subscription, () => void>();

  function remove(url: string): boolean {
    const subscription = live.get(url);
    if (subscription === undefined) return false;
    live.delete(url);
    for (const cancel of pending.get(subscription) ?? []) cancel();
    pending.delete(subscription);
    recover(subscription);
    return true;
  }

  function recover(subscription: Subscription): void {
    failing.get(subscription)?.();
    failing.delete(subscription);
  }

  function lose(subscription: Subscription, since: number): void {
    if (failing.has(subscription)) return;
    const cancel = clock.later(Math.max(0, since + patience - clock.now()), () => {
      remove(subscription.url);
    });
    failing.set(subscription, cancel);
  }

  /** The status; undefined when none came in time. */
  function call(subscription: Subscription, body: string): Promise<number | undefined> {
    return new Promise((resolve) => {
      const stop = clock.later(answerTime, () => resolve(undefined));
      void context
        .callWebhook(subscription.url, headersOf(subscription), body)
        .finally(stop)
        .then(resolve);
    });
  }

  async function attempt(subscription: Subscription, body: string, number: number): Promise<void> {
    const started = clock.now();
    const status = await call(subscription, body);
    if (live.get(subscription.url) !== subscription) return;
    if (status === 200) {
      recover(subscription);
      return;
    }
    lose(subscription, started);
    if (number === attemptsMax) return;
    const due = started + Math.round(firstRetry * growth ** (number - 1));
    const cancel = clock.later(Math.max(0, due - clock.now()), () => {
      pending.get(subscription)?.delete(cancel);
      void attempt(subscription, body, number + 1);
    });
    pending.get(subscription)?.add(cancel);
  }

  return {
    list: () => [...live.values()],
    add(subscription) {
      remove(subscription.url);
      live.set(subscription.url, subscription);
      pending.set(subscription, new Set());
    },
    remove,
    deliver(update) {
      const body = writeJson(update.json);
      for (const subscription of live.values()) {
        const wanted = subscription.updateTypes?.includes(update.type) ?? true;
        if (wanted) void attempt(subscription, body, 1);
      }
    },
  };
}

function headersOf({ secret }: Subscription): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    ...(secret === undefined ? {} : { 'x-max-bot-api-secret': secret }),
  };
}
