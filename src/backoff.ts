// How long to wait after the nth failure in a row: doubling, capped, with jitter so that many do not come
// back at the same instant.

export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
}

export function waitAfter(failures: number, { baseMs, capMs }: Backoff, random: number): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (full / 2) * random;
}
