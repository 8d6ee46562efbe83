// The port that every broker fulfils. Results are values: a broker never throws for what a server or a
// network does.

/** An event as it leaves the database. */
export interface OutboxEvent {
  /** The key by which consumers know a repeat. */
  readonly eventId: string;
  readonly eventType: string;
  readonly aggregateType: string;
  readonly aggregateId: string;
  /** The envelope, as JSON text. */
  readonly payload: string;
  /** ISO 8601, to the microsecond. */
  readonly createdAt: string;
}

export type Published = Confirmed | { readonly ok: false; readonly fault: BrokerFault };

export interface Confirmed {
  readonly ok: true;
  /** The broker's own id of the event, if it has one. */
  readonly brokerId?: string | undefined;
  /** The broker had the event already, and did not store it again. */
  readonly isRepeat?: boolean | undefined;
}

export type Checked = { readonly ok: true } | { readonly ok: false; readonly fault: BrokerFault };

export interface BrokerFault {
  /** `refused`: it will never take this event; `unavailable`: it could not now. */
  readonly kind: 'refused' | 'unavailable';
  readonly code: string;
  /** A sentence without addresses and secrets. */
  readonly message: string;
  /** For how long the broker asked to be left alone. */
  readonly retryAfterMs?: number | undefined;
}

export interface Broker {
  readonly name: string;
  /**
   * Host and port, for the operator; never a user or a password. Undefined: the broker has none, or nobody chose it.
   */
  readonly place?: string | undefined;
  /** Whether events can be published now. */
  check(signal: AbortSignal): Promise<Checked>;
  /**
   * Answers for each event, in the given order, whether the broker has stored it. An event without an answer when the
   * signal comes is `unavailable`: it may have arrived.
   *
   * Events of one ordering key are published in the given order: when one of them is `unavailable`, so are
   * those after it. One that is `refused` is passed over; the caller decides whether that is right.
   */
  publish(events: readonly OutboxEvent[], signal: AbortSignal): Promise<Published[]>;
  /** Gives up what is under way. Every later call is `unavailable`. */
  close(): Promise<void>;
}

/** The attributes of a message; they have the same names on every broker. */
export function attributesOf(event: OutboxEvent): Record<string, string> {
  return {
    event_id: event.eventId,
    event_type: event.eventType,
    aggregate_type: event.aggregateType,
    aggregate_id: event.aggregateId,
    created_at: event.createdAt,
  };
}

/** Events with the same key stay in order, if the broker keeps an order. */
export function orderingKeyOf(event: OutboxEvent): string {
  return `${event.aggregateType}:${event.aggregateId}`;
}
