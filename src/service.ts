// What every long-running part of Outrider has in common.

export interface Service {
  readonly name: string;
  /** Whether it does its work now; a service that only exists is not ready. */
  health(): Health;
  /** What the process's signs of life tell of it. */
  facts?(): Readonly<Record<string, unknown>>;
  /** Takes nothing new, finishes what is under way within its grace, and gives the rest back. */
  stop(): Promise<void>;
}

/** A service that does its work may still give a reason for concern. */
export type Health =
  | { readonly ok: true; readonly reason?: string }
  | { readonly ok: false; readonly reason: string };

export interface NamedHealth {
  readonly name: string;
  readonly health: Health;
}

export const healthy: Health = { ok: true };
