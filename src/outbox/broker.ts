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
  /** The broker's own name for it, where it has one. */
  readonly brokerId?: string | undefined;
  /** The broker had this event already, and has not stored it once more. */
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
  /** Host and port, for the operator; never a user or a password. Undefined where there is none, or nobody chose it. */
  readonly place?: string | undefined;
  /** Whether events can be published now. */
  check(signal: AbortSignal): Promise<Checked>;
  /**
   * Answers for each event, in the given order, once the broker has stored it or has not. What is not
   * answered when the signal comes is `unavailable`: it may have arrived.
   *
   * Events of one ordering key are published in the given order: when one of them is `unavailable`, so are
   * those after it. One that is `refused` is passed over; whether that will do, the caller decides.
   */
  publish(events: readonly OutboxEvent[], signal: AbortSignal): Promise<Published[]>;
  /** Gives up what is under way. What is asked of the broker afterwards is `unavailable`. */
  close(): Promise<void>;
}

/** What travels beside the payload, on every broker under the same names. */
export function attributesOf(event: OutboxEvent): Record<string, string> {
  return {
    event_id: event.eventId,
    event_type: event.eventType,
    aggregate_type: event.aggregateType,
    aggregate_id: event.aggregateId,
    created_at: event.createdAt,
  };
}

/** Events with the same key are in order, where the broker keeps order. */
export function orderingKeyOf(event: OutboxEvent): string {
  return `${event.aggregateType}:${event.aggregateId}`;
}
