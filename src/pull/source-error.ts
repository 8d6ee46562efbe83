import { OutriderError } from '../errors.ts';

/** A source that could not be read. It is asked again later, after `retryAfterMs` at the earliest. */
export class SourceError extends OutriderError {
  readonly retryAfterMs: number | undefined;
  /** What the server answered, if that is what was wrong. */
  readonly status: number | undefined;

  constructor(
    message: string,
    options: { hint?: string; retryAfterMs?: number; status?: number } = {},
  ) {
    const { hint, retryAfterMs, status } = options;
    super('source_away', message, hint === undefined ? {} : { hint });
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}
