// A delivery of a simulation, and what became of it.

export interface SimulatedDelivery {
  readonly deliveryId: string;
  /** The place of its post among the given ones. */
  readonly post: number;
  readonly channelId: string;
  /** When its post came in, in milliseconds since 1970, as all times here. */
  readonly arrivedAt: number;
  /** When its last attempt began. */
  startedAt: number | undefined;
  sentAt: number | undefined;
  /** When it failed for good. */
  failedAt: number | undefined;
  status: 'waiting' | 'sent' | 'failed_permanent' | 'dead';
  attempts: number;
  /** As it is sent; undefined until it is claimed. */
  rendering: Rendering | undefined;
  /** Since when it has waited: since its post was wanted, or since its last attempt failed. */
  since: number;
  /** From when on it may be tried: the same, or the time of its next attempt. */
  readyAt: number;
}

/** How a post looks in a channel. */
export interface Rendering {
  readonly text: string;
  /** Format, parts and buttons, as JSON. */
  readonly plan: string;
}

/** A post that comes in. */
export interface Arrival {
  readonly at: number;
  readonly post: Readonly<Record<string, unknown>>;
}
