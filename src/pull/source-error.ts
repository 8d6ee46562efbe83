import { OutriderError } from '../errors.ts';

/** A source that could not be read. It is asked again later, after `retryAfterMs` at the earliest. */
export class SourceError extends OutriderError {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { hint?: string; retryAfterMs?: number } = {}) {
    const { hint, retryAfterMs } = options;
    super('source_away', message, hint === undefined ? {} : { hint });
    this.retryAfterMs = retryAfterMs;
  }
}
