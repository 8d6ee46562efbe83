// Emitting an event from TypeScript, in the transaction of the change that it tells of. SQL does the same with
// outrider.emit_event.

import { writeEvent } from '../db/outbox.ts';
import type { Queryable } from '../db/pool.ts';
import { InvalidInputError } from '../errors.ts';
import { ActorRef, firstFault } from './envelope.ts';
import {
  type AggregateTypeOf,
  type DataOf,
  type EventType,
  isEventType,
  registry,
} from './registry.ts';

/** One connection that is inside a transaction. A pool is none: each of its queries is a transaction of its own. */
export interface Transaction extends Queryable {
  readonly totalCount?: never;
}

interface EventOf<Type extends EventType> {
  readonly eventType: Type;
  readonly aggregateType: AggregateTypeOf<Type>;
  readonly aggregateId: string;
  readonly data: DataOf<Type>;
  readonly actor?: ActorRef | undefined;
  /** When it happened, if not now. */
  readonly occurredAt?: Date | undefined;
  /** A new one unless given; an id is emitted once. */
  readonly eventId?: string | undefined;
}

/** An event of any type, with the data of that type. */
export type EventToEmit = { [Type in EventType]: EventOf<Type> }[EventType];

/**
 * Writes an event into the outbox. It leaves when the transaction is committed, and never if it is not.
 * Answers with the event's id. Data of another shape than the registry's is refused before anything is sent.
 */
export async function emitEvent(tx: Transaction, event: EventToEmit): Promise<string> {
  if ('totalCount' in tx) {
    throw new InvalidInputError(
      'emitEvent: this is a pool, and each query of a pool is a transaction of its own',
      { hint: 'pass the client on which the transaction was begun: await pool.connect()' },
    );
  }
  return writeEvent(tx, checked(event));
}

function checked(event: EventToEmit): Parameters<typeof writeEvent>[1] {
  const { eventType, aggregateType, aggregateId, occurredAt, eventId } = event;
  if (!isEventType(eventType)) throw fault(`there is no event type "${String(eventType)}"`);
  const { version, aggregateTypes, data: Data } = registry[eventType];
  if (!aggregateTypes.some((each) => each === aggregateType)) {
    const allowed = aggregateTypes.join(', ');
    throw fault(
      `${eventType} is not about aggregate type "${aggregateType}"; it may be: ${allowed}`,
    );
  }
  const data = Data.safeParse(event.data);
  if (!data.success) throw fault(`${eventType}: ${firstFault(data.error, 'data')}`);
  const actor = ActorRef.optional().safeParse(event.actor);
  if (!actor.success) throw fault(`${eventType}: ${firstFault(actor.error, 'actor')}`);
  if (occurredAt !== undefined && Number.isNaN(occurredAt.getTime())) {
    throw fault(`${eventType}: occurredAt is not a time`);
  }
  return {
    eventType,
    aggregateType,
    aggregateId,
    data: data.data,
    actor: actor.data,
    version,
    occurredAt: occurredAt?.toISOString(),
    eventId,
  };
}

function fault(message: string): InvalidInputError {
  return new InvalidInputError(`emitEvent: ${message}`);
}
