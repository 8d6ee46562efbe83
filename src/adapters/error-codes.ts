// The codes of errors, and what each usually means. One fault has one code, whichever platform meets it; the
// provider's own code stays in the words and in `raw`. docs/adapters.md says what to do about each.

interface Meaning {
  readonly category: 'TRANSIENT' | 'PERMANENT';
  readonly scope: 'delivery' | 'channel' | 'platform';
}

const again: Meaning = { category: 'TRANSIENT', scope: 'delivery' };
const never: Meaning = { category: 'PERMANENT', scope: 'delivery' };
const closed: Meaning = { category: 'PERMANENT', scope: 'channel' };
const everywhere: Meaning = { category: 'TRANSIENT', scope: 'platform' };

export const errorCodes = {
  rate_limited: everywhere,
  credential_refused: everywhere,

  // on the way to the provider and back
  unreachable: again,
  outcome_unknown: again,
  read_failed: again,
  unexpected_answer: again,
  aborted: again,
  /** Nothing was sent: somebody else may have the delivery by now. */
  lease_over: again,
  progress_not_kept: again,

  // of the channel
  chat_not_found: closed,
  chat_moved: again,
  not_allowed: closed,
  settings: closed,
  unsupported_platform: closed,

  // of the post
  validation_failed: never,
  refused: never,
  unreadable_delivery: never,

  // of its media
  media_missing_origin: never,
  /** Our own store is away: that uses up no attempt. */
  media_unreadable: again,
  link_unreadable: again,
  media_not_ready: again,
  upload_failed: again,

  // of a change to what was sent
  message_not_found: never,
  not_changeable: never,
} as const satisfies Readonly<Record<string, Meaning>>;

export type ErrorCode = keyof typeof errorCodes;
