// A connection to RabbitMQ and its confirming channel. RabbitMQ ends a channel over a single message, too
// large or for an exchange that is not there; the connection goes on, and so do the other messages, on the
// next channel.

import type { ChannelModel, ConfirmChannel, Message, Options } from 'amqplib';
import { FaultError, unavailable } from './faults.ts';

export interface RabbitMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  readonly messageId: string;
  readonly properties: Options.Publish;
}

const blocked = unavailable(
  'blocked',
  'RabbitMQ takes no messages at present: it is short of memory or disk space',
);

/** The largest body that the server takes, as far as is known: it says so only when it refuses one. */
export interface RabbitLimit {
  maxBytes: number;
}

export class RabbitLink {
  readonly #model: ChannelModel;
  readonly #life: AbortController;
  readonly #limit: RabbitLimit;
  /** How what waits for an answer is told that none will come. */
  readonly #waiting = new Set<(reason: unknown) => void>();
  /** Messages that came back; the confirmation of each follows. */
  readonly #returned = new Set<string>();
  #channel: Promise<ConfirmChannel> | undefined;
  #isOpen = true;
  #isBlocked = false;

  /** `life`: ends the socket; `limit`: learnt by one link, good for the next. */
  constructor(model: ChannelModel, life: AbortController, limit: RabbitLimit) {
    this.#model = model;
    this.#life = life;
    this.#limit = limit;
    model.on('error', (error) => this.#end(error));
    model.on('close', (error) => this.#end(error));
    model.on('blocked', () => {
      this.#isBlocked = true;
      this.#giveUp(new FaultError(blocked));
    });
    model.on('unblocked', () => {
      this.#isBlocked = false;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get maxBytes(): number {
    return this.#limit.maxBytes;
  }

  /** What became of the message; throws why nothing is known. */
  async publish(message: RabbitMessage): Promise<'stored' | 'unroutable'> {
    if (this.#isBlocked) throw new FaultError(blocked);
    const channel = await this.#confirming();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(reject);
    // What may be left of an earlier attempt that was given up.
    this.#returned.delete(message.messageId);
    try {
      const { exchange, routingKey, body, messageId, properties } = message;
      const options = { ...properties, messageId, mandatory: true, persistent: true };
      channel.publish(exchange, routingKey, body, options, (error: unknown) => {
        if (error === null) return resolve();
        return reject(error);
      });
      await promise;
      return this.#returned.delete(messageId) ? 'unroutable' : 'stored';
    } finally {
      this.#waiting.delete(reject);
    }
  }

  /** On a channel of its own: if the exchange is not there, RabbitMQ ends the channel. */
  async checkExchange(exchange: string): Promise<void> {
    if (this.#isBlocked) throw new FaultError(blocked);
    const channel = await this.#model.createChannel();
    channel.on('error', () => undefined); // the call says it
    await channel.checkExchange(exchange);
    await channel.close();
  }

  async makeExchange(exchange: string): Promise<void> {
    const channel = await this.#model.createChannel();
    channel.on('error', () => undefined);
    await channel.assertExchange(exchange, 'topic', { durable: true });
    await channel.close();
  }

  discard(): void {
    this.#life.abort();
  }

  close(): Promise<void> {
    return this.#model.close();
  }

  #confirming(): Promise<ConfirmChannel> {
    if (this.#channel !== undefined) return this.#channel;
    const opening = this.#openChannel(() => {
      if (this.#channel === opening) this.#channel = undefined;
    });
    this.#channel = opening;
    return opening;
  }

  async #openChannel(forget: () => void): Promise<ConfirmChannel> {
    try {
      const channel = await this.#model.createConfirmChannel();
      channel.on('return', ({ properties }: Message) => {
        if (typeof properties.messageId === 'string') this.#returned.add(properties.messageId);
      });
      // Before `close`, which then tells every waiting message only that the channel is closed.
      channel.on('error', (error) => {
        this.#learn(error);
        forget();
        this.#giveUp(error);
      });
      channel.on('close', forget);
      return channel;
    } catch (error) {
      forget();
      throw error;
    }
  }

  #learn(error: Error): void {
    const [, limit] =
      /message size \d+ is larger than (?:configured )?max size (\d+)/.exec(error.message) ?? [];
    if (limit !== undefined) this.#limit.maxBytes = Number(limit);
  }

  #end(reason: unknown): void {
    this.#isOpen = false;
    this.#giveUp(reason ?? new Error('closed'));
  }

  #giveUp(reason: unknown): void {
    for (const reject of this.#waiting) reject(reason);
    this.#waiting.clear();
  }
}
