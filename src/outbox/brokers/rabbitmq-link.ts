// A connection to RabbitMQ and its confirming channel. RabbitMQ ends a channel over a single message that is too large
// or names a missing exchange. The connection goes on, and the other messages go on with it, on the next channel.

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

/** The largest body that the server takes. It is known only after the server has refused one. */
export interface RabbitLimit {
  maxBytes: number;
}

export class RabbitLink {
  readonly #model: ChannelModel;
  readonly #life: AbortController;
  readonly #limit: RabbitLimit;
  /** Ends the wait of each message that has no answer yet. */
  readonly #waiting = new Set<(reason: unknown) => void>();
  /** Messages that came back because no queue took them; the confirmation of each follows. */
  readonly #returned = new Set<string>();
  #channel: Promise<ConfirmChannel> | undefined;
  #isOpen = true;
  #isBlocked = false;

  /** `life` ends the socket. `limit` is learnt by one link and used by the next ones. */
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

  /** What became of the message; throws when nobody knows. */
  async publish(message: RabbitMessage): Promise<'stored' | 'unroutable'> {
    if (this.#isBlocked) throw new FaultError(blocked);
    const channel = await this.#confirming();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(reject);
    // An earlier attempt that was given up may have left it there.
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
    channel.on('error', () => undefined); // the call below throws it
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
      // It comes before `close`, which would tell every waiting message only that the channel is closed.
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
