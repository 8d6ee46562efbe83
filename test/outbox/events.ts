import { randomUUID } from 'node:crypto';
import type { OutboxEvent, Published } from '../../src/outbox/broker.ts';

/** An event as the database gives it. */
export function anEvent(
  given: Partial<OutboxEvent> & { readonly data?: unknown } = {},
): OutboxEvent {
  const { data = { total: 12 }, ...fields } = given;
  const eventId = fields.eventId ?? randomUUID();
  return {
    eventId,
    eventType: 'order_created',
    aggregateType: 'vendor_order',
    aggregateId: randomUUID(),
    payload: JSON.stringify({
      version: 1,
      eventId,
      occurredAt: '2026-03-04T05:06:07.089012Z',
      data,
    }),
    createdAt: '2026-03-04T05:06:07.089012Z',
    ...fields,
  };
}

export function someEvents(count: number, given: Partial<OutboxEvent> = {}): OutboxEvent[] {
  return Array.from({ length: count }, () => anEvent(given));
}

/** A payload of exactly so many bytes. */
export function payloadOf(bytes: number): string {
  const empty = JSON.stringify({ filling: '' });
  return JSON.stringify({ filling: 'x'.repeat(bytes - empty.length) });
}

export const confirmed = { ok: true };

/** What became of each: `ok`, or the kind of its fault. */
export function kindsOf(results: readonly Published[]): string[] {
  return results.map((result) => (result.ok ? 'ok' : result.fault.kind));
}

/** What became of each: `ok`, or the code of its fault. */
export function codesOf(results: readonly Published[]): string[] {
  return results.map((result) => (result.ok ? 'ok' : result.fault.code));
}
