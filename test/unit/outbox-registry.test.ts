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
  it('are the types of a registry that is given none', () => {
    expect(Object.keys(createRegistry().types)).toHaveLength(18);
    expect(createRegistry().types).toEqual(specifiedEvents.types);
  });

  it('stand beside those of an application that adds them', () => {
    const both = createRegistry({
      ...specifiedEvents.types,
      invoice_paid: { data: z.strictObject({ cents: z.int() }) },
    });
    expect(both.shapeOf('order_created')).toBeDefined();
    expect(both.shapeOf('invoice_paid')).toBeDefined();
  });

  it.each(Object.entries(specifiedEvents.types))('take any object as data: %s', (_, shape) => {
    expect(shape.data.safeParse({ anything: [1, { of: 'the application' }] }).success).toBe(true);
    expect(shape.data.safeParse('text').success).toBe(false);
  });
});
