// The ids of traces and spans. Processes that take posts in and those that send share only the database, so whatever
// both of them need is derived from what the record has.

import { createHash, randomBytes } from 'node:crypto';

/**
 * The trace of a post. Its trace id in the record is mostly one of W3C, or a UUID; any other text stands for the digits
 * of its hash.
 */
export function traceIdOf(recorded: string): string {
  const digits = recorded.toLowerCase().replaceAll('-', '');
  if (/^(?!0{32})[0-9a-f]{32}$/.test(digits)) return digits;
  return createHash('sha256').update(recorded).digest('hex').slice(0, 32);
}

/**
 * The span in which a delivery was made. The ids of deliveries that one call makes begin with the same 24 digits: the
 * time, then digits of chance. The last 16 of these are the id of the span.
 */
export function spanOfIntake(deliveryId: string): string {
  return deliveryId.replaceAll('-', '').slice(8, 24);
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

/** Whether a trace is among the share that is kept. Every process that asks gets the same answer. */
export function isInShare(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  return Number.parseInt(traceId.slice(-14), 16) / 2 ** 56 < ratio;
}
