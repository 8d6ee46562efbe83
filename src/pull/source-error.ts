import { OutriderError } from '../errors.ts';

/** A source that could not be read. It is asked again later, after `retryAfterMs` at the earliest. */
export class SourceError extends OutriderError {
  readonly retryAfterMs: number | undefined;
  /** Whether what was asked for is not there. */
  readonly isNotFound: boolean;

  constructor(
    message: string,
    options: { hint?: string; retryAfterMs?: number; isNotFound?: boolean } = {},
  ) {
    const { hint, retryAfterMs, isNotFound = false } = options;
    super('source_away', message, hint === undefined ? {} : { hint });
    this.retryAfterMs = retryAfterMs;
    this.isNotFound = isNotFound;
  }
}
