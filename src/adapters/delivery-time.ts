// Delivery ids begin with the time at which the delivery was made. No attempt is older than that.

/** Undefined when the id is not a UUID of version 7. */
export function deliveryTime(deliveryId: string): Date | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(deliveryId) ?? [];
  return high === undefined ? undefined : new Date(Number.parseInt(`${high}${low}`, 16));
}
