// Emitting an event from TypeScript, in the transaction of the change that it tells of. SQL does the same with
// outrider.emit_event.

import type { z } from 'zod';
import { writeEvent } from '../db/outbox.ts';
import type { Queryable } from '../db/pool.ts';
import { InvalidInputError } from '../errors.ts';
import type { ReadonlyDeep } from '../readonly-deep.ts';
import { ActorRef, firstFault } from './envelope.ts';
import {
  type EventShape,
  type EventTypes,
  type Registry,
  type SpecifiedEvents,
  specifiedEvents,
} from './registry.ts';

/** A connection that is inside a transaction. A pool will not do: each of its queries is a transaction of its own. */
export interface Transaction extends Queryable {
  readonly totalCount?: never;
}

type AggregateTypeOf<Shape extends EventShape> = Shape extends {
  readonly aggregateTypes: readonly (infer Aggregate)[];
}
  ? Aggregate
  : string;

interface EventOf<Type, Shape extends EventShape> {
  readonly eventType: Type;
  readonly aggregateType: AggregateTypeOf<Shape>;
  readonly aggregateId: string;
  readonly data: ReadonlyDeep<z.input<Shape['data']>>;
  /** Who did it: an object of the application's own. */
  readonly actor?: Readonly<ActorRef> | undefined;
  /** When it happened, if not now. */
  readonly occurredAt?: Date | undefined;
  /** A new one when missing. An id is emitted only once. */
  readonly eventId?: string | undefined;
}

/** An event of any type of a registry, with the data of that type. */
export type EventToEmit<Types extends EventTypes = SpecifiedEvents> = {
  [Type in keyof Types]: EventOf<Type, Types[Type]>;
}[keyof Types];

/**
 * Writes an event into the outbox and answers with its id. The event is published after the commit of the transaction;
 * a rollback takes it back. Data that does not have the shape of the registry is refused before the database is asked.
 */
export async function emitEvent(tx: Transaction, event: EventToEmit): Promise<string>;
export async function emitEvent<Types extends EventTypes>(
  tx: Transaction,
  event: EventToEmit<Types>,
  registry: Registry<Types>,
): Promise<string>;
export async function emitEvent(
  tx: Transaction,
  event: AnyEvent,
  registry: Registry<EventTypes> = specifiedEvents,
): Promise<string> {
  if ('totalCount' in tx) {
    throw new InvalidInputError(
      'emitEvent: this is a pool, and each query of a pool is a transaction of its own',
      { hint: 'pass the client on which the transaction was begun: await pool.connect()' },
    );
  }
  return writeEvent(tx, checked(event, registry)).catch((error: unknown) => {
    throw isUnknownToTheDatabase(error) ? unknownType(event) : error;
  });
}

/**
 * `invalid_text_representation`: besides ids, the types are the only texts that the database turns into another type.
 */
function isUnknownToTheDatabase(error: unknown): boolean {
  return error instanceof InvalidInputError && error.sqlstate === '22P02';
}

function unknownType({ eventType, aggregateType }: AnyEvent): InvalidInputError {
  return new InvalidInputError(
    `emitEvent: the database does not know event type "${String(eventType)}" or aggregate type "${aggregateType}", or the id is not a UUID`,
    { hint: 'a new type is added with: alter type outrider.event_type_enum add value …' },
  );
}

type AnyEvent = EventOf<PropertyKey, EventShape>;

function checked(
  event: AnyEvent,
  registry: Registry<EventTypes>,
): Parameters<typeof writeEvent>[1] {
  const { aggregateType, aggregateId, occurredAt, eventId } = event;
  const eventType = String(event.eventType);
  const shape = registry.shapeOf(eventType);
  if (shape === undefined) throw fault(`there is no event type "${eventType}" in the registry`);
  const { version = 1, aggregateTypes: allowed, data: Data } = shape;
  if (allowed !== undefined && !allowed.includes(aggregateType)) {
    throw fault(
      `${eventType} is not about aggregate type "${aggregateType}"; it may be: ${allowed.join(', ')}`,
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
