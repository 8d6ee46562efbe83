// The event types of an application and the data of each. The specified types come with the package and take any data.
// An application that wants its data checked, or has types of its own, makes a registry of its own.
//
// A type is a value of outrider.event_type_enum. A new type needs a migration of the application and an entry in its
// registry; docs/outbox.md has both.

import { z } from 'zod';

export interface EventShape {
  /** The aggregate types that an event of this type may be about; any when missing. */
  readonly aggregateTypes?: readonly string[];
  /** The version of the data's shape. Raise it with a change that consumers have to know of. 1 when missing. */
  readonly version?: number;
  readonly data: z.ZodType<object>;
}

export type EventTypes = Readonly<Record<string, EventShape>>;

export interface Registry<Types extends EventTypes> {
  /** The shape of a type; undefined when there is no such type. */
  shapeOf(eventType: string): EventShape | undefined;
  readonly types: Types;
}

const aggregateTypes = [
  'vendor_order',
  'checkout_group',
  'license',
  'store',
  'media',
  'ledger_event',
  'notification',
  'ad',
] as const;

const anything = { aggregateTypes, data: z.record(z.string(), z.unknown()) } as const;

/** The types that outrider.event_type_enum has from the start. */
const specifiedTypes = {
  order_created: anything,
  order_state_changed: anything,
  line_item_state_changed: anything,
  license_status_changed: anything,
  media_uploaded: anything,
  payment_settled: anything,
  cash_collected: anything,
  vendor_payout_recorded: anything,
  notification_requested: anything,
  order_expired: anything,
  order_canceled: anything,
  reservation_released: anything,
  ad_created: anything,
  ad_updated: anything,
  ad_paused: anything,
  ad_activated: anything,
  ad_expired: anything,
  ad_daily_rollup_ready: anything,
} as const satisfies EventTypes;

export type SpecifiedEvents = typeof specifiedTypes;

/** The specified types, or the event types of an application by name. */
export function createRegistry(): Registry<SpecifiedEvents>;
export function createRegistry<const Types extends EventTypes>(types: Types): Registry<Types>;
export function createRegistry(types: EventTypes = specifiedTypes): Registry<EventTypes> {
  return {
    types,
    shapeOf: (eventType) => (Object.hasOwn(types, eventType) ? types[eventType] : undefined),
  };
}

/** What `emitEvent` uses when it is given no registry. An application adds its own types to `specifiedEvents.types`. */
export const specifiedEvents = createRegistry();
