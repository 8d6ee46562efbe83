// The port that every kind of alert target fulfils.

import type { AlertAddress, ToldChange } from '../../db/monitor.ts';

/** One message to one target. */
export interface AlertMessage {
  /** The same for a repeated attempt. */
  readonly id: string;
  readonly workspaceId: string;
  readonly alertTargetId: string;
  readonly address: AlertAddress;
  readonly subject: string;
  /** Plain text of several lines, masked. */
  readonly body: string;
  /** Empty for a health snapshot and for a test. */
  readonly changes: readonly ToldChange[];
}

/** An expected outcome is a value: a target never throws for what a server does. */
export type Told =
  /** `said` is what the other side answered, in words. */
  | { readonly ok: true; readonly said: string }
  | {
      readonly ok: false;
      /** A sentence without secrets. */
      readonly reason: string;
      readonly retryAfterMs?: number | undefined;
      /** This process lacks a secret or a setting; another monitor may have it. */
      readonly othersMay?: true;
    };

/** It ends when the signal does, however long the other side takes. */
export type Tell = (message: AlertMessage, signal: AbortSignal) => Promise<Told>;

export function untold(reason: string, retryAfterMs?: number): Told {
  return { ok: false, reason, retryAfterMs };
}

/** It could not be told from here: this process lacks a secret or a setting. */
export function leftToOthers(reason: string): Told {
  return { ok: false, reason, othersMay: true };
}
