import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type DataOf, type EventType, isEventType, registry } from '../../src/outbox/registry.ts';

const id = '01a1e297-400a-7235-87e2-80e5b4614886';
const at = '2026-03-02T10:00:00Z';
const money = { amountCents: 12_50, currency: 'USD' };
const item = { lineItemId: id, productId: id, quantity: 2, unitCents: 625 };

/** Data of each type, as an application would send it. */
const samples: { [Type in EventType]: DataOf<Type> } = {
  order_created: {
    buyerStoreId: id,
    vendorStoreId: id,
    totalCents: 12_50,
    currency: 'USD',
    lineItems: [item],
  },
  order_state_changed: { from: 'accepted', to: 'in_transit' },
  line_item_state_changed: { lineItemId: id, from: null, to: 'rejected', reason: 'out of stock' },
  license_status_changed: { storeId: id, from: 'pending', to: 'verified', expiresOn: '2027-03-02' },
  media_uploaded: {
    storeId: id,
    kind: 'product_image',
    contentType: 'image/png',
    sizeBytes: 12_345,
    objectKey: 'stores/7/1.png',
  },
  payment_settled: { ...money, method: 'ach', settledAt: at, reference: 'tr-7' },
  cash_collected: { ...money, collectedAt: at, collectedBy: id },
  vendor_payout_recorded: { ...money, vendorStoreId: id, paidAt: at },
  notification_requested: {
    template: 'order_accepted',
    recipientType: 'store',
    recipientId: id,
    channel: 'email',
    parameters: { orders: 2 },
  },
  order_expired: { expiredAt: at },
  order_canceled: { canceledBy: 'buyer', reason: 'changed my mind' },
  reservation_released: { reason: 'order_expired', lineItems: [{ productId: id, quantity: 2 }] },
  ad_created: { storeId: id, placement: 'home_top', startsAt: at },
  ad_updated: { storeId: id, changedFields: ['title'] },
  ad_paused: { storeId: id },
  ad_activated: { storeId: id },
  ad_expired: { storeId: id, expiredAt: at },
  ad_daily_rollup_ready: {
    storeId: id,
    day: '2026-03-02',
    impressions: 9,
    clicks: 1,
    spend: money,
  },
};

const entries = Object.entries(registry).map(([type, entry]) => ({
  type,
  entry,
  sample: z.record(z.string(), z.unknown()).parse(new Map(Object.entries(samples)).get(type)),
}));

describe('the registry', () => {
  it.each(entries)('takes data of $type as applications send it', ({ entry, sample }) => {
    expect(entry.data.parse(sample)).toEqual(sample);
  });

  it.each(entries)('refuses data of $type with a field too many', ({ entry, sample }) => {
    expect(entry.data.safeParse({ ...sample, surprise: 1 }).success).toBe(false);
  });

  it.each(entries)(
    'needs the fields of $type that it does not say may be absent',
    ({ entry, sample }) => {
      const { required = [] } = z.toJSONSchema(entry.data);
      expect(required.length).toBeGreaterThan(0);
      for (const field of Object.keys(sample)) {
        const rest = Object.fromEntries(Object.entries(sample).filter(([name]) => name !== field));
        expect([field, entry.data.safeParse(rest).success]).toEqual([
          field,
          !required.includes(field),
        ]);
      }
    },
  );

  it.each(entries)('says what $type may be about, and in which version', ({ entry }) => {
    expect(entry.aggregateTypes.length).toBeGreaterThan(0);
    expect(entry.version).toBeGreaterThanOrEqual(1);
  });

  it('refuses money in fractions, currencies by another name, and times without a zone', () => {
    const { data } = registry.payment_settled;
    const sample = samples.payment_settled;
    expect(data.safeParse(sample).success).toBe(true);
    for (const wrong of [
      { amountCents: 12.5 },
      { amountCents: -1 },
      { currency: 'usd' },
      { settledAt: '2026-03-02T10:00:00' },
      { method: 'Wire transfer' },
    ]) {
      expect(data.safeParse({ ...sample, ...wrong }).success).toBe(false);
    }
  });

  it('knows its types, and not what every object has', () => {
    expect(isEventType('order_created')).toBe(true);
    expect(isEventType('toString')).toBe(false);
  });
});
