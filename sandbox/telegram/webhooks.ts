// The webhook of one bot: sends its updates, and repeats those that nobody takes.

import { STATUS_CODES } from 'node:http';
import type { Clock } from '../clock.ts';
import type { SimulatorContext, WebhookAnswer } from '../simulator.ts';
import type { Update, UpdateQueue } from './updates.ts';

export interface WebhookConfig {
  readonly url: string;
  readonly secret: string;
  readonly maxConnections: number;
  readonly ipAddress: string;
  readonly hasCertificate: boolean;
}

interface Attempts {
  readonly fails: number;
  readonly delay: number;
  readonly wakeAt: number;
}

const delayMostSeconds = 60;
const retryAfterMostSeconds = 3600;
const patienceMs = 60_000;
/** How long a webhook must answer 410 before Telegram believes it. */
const goneMs = 23 * 60 * 60 * 1000;

export interface WebhookParts {
  readonly clock: Clock;
  readonly queue: UpdateQueue;
  readonly context: Pick<SimulatorContext, 'callWebhook'>;
  /** A bot may answer with a method call in the body. */
  readonly onAnswer: (body: string) => void;
}

export class Webhook {
  readonly #parts: WebhookParts;
  #config: WebhookConfig | undefined;
  readonly #attempts = new Map<number, Attempts>();
  /** Lanes that have a call under way. */
  readonly #busy = new Set<string>();
  #error: { readonly date: number; readonly message: string } | undefined;
  #goneSince: number | undefined;
  /** The earliest time for the next change. */
  changeableAt = 0;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    parts.queue.onAdd = () => this.#send();
  }

  get config(): WebhookConfig | undefined {
    return this.#config;
  }

  change(config: WebhookConfig | undefined): void {
    this.#config = config;
    this.#error = undefined;
    this.#goneSince = undefined;
    this.#attempts.clear();
    this.#send();
  }

  info(): object {
    const config = this.#config;
    const { allowed } = this.#parts.queue;
    return {
      url: config?.url ?? '',
      has_custom_certificate: config?.hasCertificate ?? false,
      pending_update_count: this.#parts.queue.pending().length,
      ...(this.#error !== undefined && {
        last_error_date: this.#error.date,
        last_error_message: this.#error.message,
      }),
      ...(config !== undefined && {
        max_connections: config.maxConnections,
        ...(config.ipAddress !== '' && { ip_address: config.ipAddress }),
      }),
      ...(allowed !== undefined && { allowed_updates: allowed }),
    };
  }

  /** Sends the first update of every lane that is neither busy nor waiting, as far as connections allow. */
  #send(): void {
    const config = this.#config;
    if (config === undefined) return;
    const seen = new Set<string>();
    for (const update of this.#parts.queue.pending()) {
      const first = !seen.has(update.lane);
      seen.add(update.lane);
      const awake = (this.#attempts.get(update.id)?.wakeAt ?? 0) <= this.#parts.clock.now();
      const room = this.#busy.size < config.maxConnections && !this.#busy.has(update.lane);
      if (first && awake && room) {
        this.#busy.add(update.lane);
        void this.#deliver(config, update);
      }
    }
  }

  async #deliver(config: WebhookConfig, update: Update): Promise<void> {
    const { clock, queue, context, onAnswer } = this.#parts;
    const secret = config.secret === '' ? {} : { 'x-telegram-bot-api-secret-token': config.secret };
    const started = clock.now();
    let answer: WebhookAnswer = { headers: {}, body: '' };
    const status = await context.callWebhook(
      config.url,
      secret,
      JSON.stringify(update.body),
      (heard) => {
        answer = heard;
      },
    );
    this.#busy.delete(update.lane);
    if (status !== undefined && status >= 200 && status <= 299) {
      this.#attempts.delete(update.id);
      this.#goneSince = undefined;
      queue.remove(update.id);
      onAnswer(answer.body);
    } else if (this.#config === config) {
      const late = clock.now() - started >= patienceMs;
      this.#fail(update, status, late, Number(answer.headers['retry-after'] ?? 0));
    }
    this.#send();
  }

  #fail(update: Update, status: number | undefined, late: boolean, retryAfter: number): void {
    const { clock, queue } = this.#parts;
    const now = clock.now();
    const message =
      status === undefined
        ? late
          ? 'Read timeout expired'
          : 'Connection refused'
        : `Wrong response from the webhook: ${status} ${STATUS_CODES[status] ?? ''}`;
    this.#error = { date: Math.floor(now / 1000), message };
    if (this.#isGone(status, now)) {
      this.change(undefined);
      return;
    }
    const { fails, delay } = this.#attempts.get(update.id) ?? { fails: 0, delay: 1 };
    const asked = Math.min(Math.max(Math.trunc(retryAfter) || 0, 0), retryAfterMostSeconds);
    // The real cap is random, between the least and twice as much. Here the number of the update decides.
    const most = delayMostSeconds + (update.id % (delayMostSeconds + 1));
    const next = asked === 0 && fails > 0 ? Math.min(most, delay * 2) : delay;
    const wait = (asked > 0 ? asked : fails > 0 ? next : 0) * 1000;
    if (now + wait > update.expires) queue.remove(update.id);
    this.#attempts.set(update.id, { fails: fails + 1, delay: next, wakeAt: now + wait });
    if (wait > 0) clock.later(wait, () => this.#send());
  }

  #isGone(status: number | undefined, now: number): boolean {
    if (status !== 410) this.#goneSince = undefined;
    else this.#goneSince ??= now;
    return this.#goneSince !== undefined && now > this.#goneSince + goneMs;
  }
}
