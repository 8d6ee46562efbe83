import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRegistry, specifiedEvents } from '../../src/outbox/registry.ts';

describe('a registry', () => {
  const invoices = createRegistry({
    invoice_paid: { version: 2, data: z.strictObject({ cents: z.int() }) },
  });

  it('knows the shape of its types', () => {
    expect(invoices.shapeOf('invoice_paid')?.version).toBe(2);
  });

  it('knows neither the types of another nor what every object has', () => {
    expect(invoices.shapeOf('order_created')).toBeUndefined();
    expect(invoices.shapeOf('toString')).toBeUndefined();
  });
});

describe('the specified types', () => {
  it.each(Object.entries(specifiedEvents.types))('take any object as data: %s', (_, shape) => {
    expect(shape.data.safeParse({ anything: [1, { of: 'the application' }] }).success).toBe(true);
    expect(shape.data.safeParse('text').success).toBe(false);
  });
});
