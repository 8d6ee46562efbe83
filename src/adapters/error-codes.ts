// The codes of errors, and what each usually means. The same problem has the same code on every platform; the
// provider's own code stays in the message and in `raw`. The queue reads the meaning, not the code. docs/adapters.md
// says what to do about each.

import type { SendError } from './adapter.ts';

type Meaning = Pick<SendError, 'category' | 'scope' | 'outcome' | 'cause'>;

const again = { category: 'TRANSIENT', scope: 'delivery' } as const;
const never = { category: 'PERMANENT', scope: 'delivery' } as const;
const closed = { category: 'PERMANENT', scope: 'channel' } as const;
const everywhere = { category: 'TRANSIENT', scope: 'platform' } as const;

const refused = { outcome: 'refused' } as const;
const notSent = { outcome: 'not_sent' } as const;

export const errorCodes = {
  rate_limited: { ...everywhere, ...refused, cause: 'pace' },
  credential_refused: { ...everywhere, ...refused, cause: 'credential' },

  // on the way to the provider and back
  unreachable: { ...again, ...notSent, cause: 'outage' },
  outcome_unknown: { ...again, outcome: 'unknown', cause: 'outage' },
  read_failed: { ...again, ...notSent },
  unexpected_answer: { ...again, ...refused },
  aborted: { ...again, ...notSent, cause: 'sender' },
  /** Somebody else may have the delivery by now. */
  lease_over: { ...again, ...notSent, cause: 'sender' },
  progress_not_kept: { ...again, ...notSent },

  // of the channel
  chat_not_found: { ...closed, ...refused },
  chat_moved: { ...again, ...refused },
  not_allowed: { ...closed, ...refused },
  settings: { ...closed, ...notSent },
  unsupported_platform: { ...closed, ...notSent },

  // of the post
  validation_failed: { ...never, ...refused },
  refused: { ...never, ...refused },
  unreadable_delivery: { ...never, ...notSent },

  // of its media
  media_missing_origin: { ...never, ...notSent },
  media_unreadable: { ...again, ...notSent, cause: 'sender' },
  link_unreadable: { ...again, ...refused },
  media_not_ready: { ...again, ...refused, cause: 'not_ready' },
  upload_failed: { ...again, ...notSent },

  // of a change to what was sent
  message_not_found: { ...never, ...refused },
  not_changeable: { ...never, ...refused },
} as const satisfies Readonly<Record<string, Meaning>>;

export type ErrorCode = keyof typeof errorCodes;
