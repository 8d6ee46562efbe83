// Why a source could not be read, as the database records it.

import { OutriderError } from '../errors.ts';
import { SourceError } from './source-error.ts';
import { storableText } from './storable.ts';

export interface PullFailure {
  /** A sentence for people. */
  readonly error: string;
  /** How long the source asks to be left alone, as PostgreSQL writes an interval. */
  readonly retryAfter: string | null;
}

const longestRetryMs = 31 * 86_400_000;

export function pullFailureOf(error: unknown): PullFailure {
  const asked = error instanceof SourceError ? error.retryAfterMs : undefined;
  return {
    error: storableText(inWords(error).slice(0, 5000)),
    retryAfter:
      asked === undefined ? null : `${Math.ceil(Math.min(Math.max(asked, 0), longestRetryMs))} ms`,
  };
}

/** Without this a source that never ends would be read for ever. */
export function sameAgain(): SourceError {
  return new SourceError('it says that there is more, and gives the same again');
}

function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error) || 'it failed';
  const hint = error instanceof OutriderError ? error.hint : undefined;
  const message = error.message === '' ? error.name : error.message;
  return hint === undefined ? message : `${message}; ${hint}`;
}
