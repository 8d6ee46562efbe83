// Every type of event: the shape of its data, and the aggregates that it may be about.
//
// A new type is an entry here and a value of outrider.event_type_enum, added by a migration. A change that consumers
// have to know of raises the version of the entry.

import { z } from 'zod';

const id = z.guid();
const text = z.string().min(1).max(500);
const state = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be a state such as in_transit');
const count = z.int().min(1);
const cents = z.int().min(0);
const currency = z.string().regex(/^[A-Z]{3}$/, 'must be a currency such as USD');
const time = z.iso.datetime({ offset: true });
const day = z.iso.date();
const money = { amountCents: cents, currency };
const change = { from: state.nullable(), to: state, reason: text.optional() };

function entry<const Aggregates extends readonly string[], Data extends z.ZodObject>(
  aggregateTypes: Aggregates,
  data: Data,
): { readonly version: 1; readonly aggregateTypes: Aggregates; readonly data: Data } {
  return { version: 1, aggregateTypes, data };
}

export const registry = {
  order_created: entry(
    ['vendor_order', 'checkout_group'],
    z.strictObject({
      buyerStoreId: id,
      vendorStoreId: id,
      checkoutGroupId: id.optional(),
      totalCents: cents,
      currency,
      lineItems: z
        .array(z.strictObject({ lineItemId: id, productId: id, quantity: count, unitCents: cents }))
        .min(1)
        .max(1000),
    }),
  ),
  order_state_changed: entry(['vendor_order'], z.strictObject(change)),
  line_item_state_changed: entry(
    ['vendor_order'],
    z.strictObject({ lineItemId: id, quantity: count.optional(), ...change }),
  ),
  license_status_changed: entry(
    ['license'],
    z.strictObject({ storeId: id, expiresOn: day.optional(), ...change }),
  ),
  media_uploaded: entry(
    ['media'],
    z.strictObject({
      storeId: id,
      kind: state,
      contentType: text,
      sizeBytes: z.int().min(0),
      /** Where it is kept, as the application names it: not a link that expires. */
      objectKey: text,
    }),
  ),
  payment_settled: entry(
    ['vendor_order', 'checkout_group', 'ledger_event'],
    z.strictObject({ ...money, method: state, settledAt: time, reference: text.optional() }),
  ),
  cash_collected: entry(
    ['vendor_order', 'ledger_event'],
    z.strictObject({ ...money, collectedAt: time, collectedBy: id }),
  ),
  vendor_payout_recorded: entry(
    ['vendor_order', 'store', 'ledger_event'],
    z.strictObject({ ...money, vendorStoreId: id, paidAt: time, reference: text.optional() }),
  ),
  notification_requested: entry(
    ['notification'],
    z.strictObject({
      template: state,
      recipientType: state,
      recipientId: id,
      channel: z.enum(['in_app', 'email', 'sms', 'push']),
      parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    }),
  ),
  order_expired: entry(['vendor_order', 'checkout_group'], z.strictObject({ expiredAt: time })),
  order_canceled: entry(
    ['vendor_order', 'checkout_group'],
    z.strictObject({ canceledBy: z.enum(['buyer', 'vendor', 'admin', 'system']), reason: text }),
  ),
  reservation_released: entry(
    ['vendor_order', 'checkout_group'],
    z.strictObject({
      reason: state,
      lineItems: z
        .array(z.strictObject({ productId: id, quantity: count }))
        .min(1)
        .max(1000),
    }),
  ),
  ad_created: entry(
    ['ad'],
    z.strictObject({ storeId: id, placement: state, startsAt: time, endsAt: time.optional() }),
  ),
  ad_updated: entry(
    ['ad'],
    z.strictObject({ storeId: id, changedFields: z.array(text).min(1).max(100) }),
  ),
  ad_paused: entry(['ad'], z.strictObject({ storeId: id, reason: text.optional() })),
  ad_activated: entry(['ad'], z.strictObject({ storeId: id })),
  ad_expired: entry(['ad'], z.strictObject({ storeId: id, expiredAt: time })),
  ad_daily_rollup_ready: entry(
    ['ad'],
    z.strictObject({
      storeId: id,
      day,
      impressions: z.int().min(0),
      clicks: z.int().min(0),
      spend: z.strictObject(money),
    }),
  ),
};

export type EventType = keyof typeof registry;

/** What an event of that type may be about. */
export type AggregateTypeOf<Type extends EventType> =
  (typeof registry)[Type]['aggregateTypes'][number];

/** What an event of that type says. */
export type DataOf<Type extends EventType> = z.output<(typeof registry)[Type]['data']>;

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(registry, name);
}
