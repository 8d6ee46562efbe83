// The answer table of VK: error code → what it means for the delivery, the channel or the platform.
// VK refuses with status 200. Only the code tells one refusal from another; for a few codes, the detail
// behind the colon does.

import type { SendError } from '../adapter.ts';
import { sendError } from '../answer.ts';
import type { ErrorCode } from '../error-codes.ts';

export interface VkRefusal {
  readonly error_code: number;
  readonly error_msg: string;
}

interface Row {
  readonly code: ErrorCode;
  /** Only where it differs from the usual scope of the code. */
  readonly scope?: SendError['scope'];
  readonly retryAfterMs?: number;
  /** What to do about it, for those who read the error. */
  readonly advice?: string;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const unknown: Row = { code: 'outcome_unknown' };
const invalid: Row = { code: 'validation_failed' };
const refused: Row = { code: 'refused' };
const noSuchMethod: Row = { code: 'refused', scope: 'channel' };
const noSuchWall: Row = { code: 'chat_not_found' };
const notAllowed: Row = { code: 'not_allowed' };
const uploadAgain: Row = { code: 'upload_failed' };

// What concerns the token as such, whichever wall it posts on.
const newToken: Row = { code: 'credential_refused' };
const administrator = 'a user who administers the community, with the rights wall and photos';
const askPerson: Row = {
  code: 'credential_refused',
  advice: 'let a person sign in to VK as the owner of the token and do what VK asks there',
};

export const answerTable: Readonly<Record<number, Row>> = {
  1: unknown,
  2: { ...newToken, advice: 'enable the application of the token' },
  3: noSuchMethod,
  4: newToken,
  5: newToken,
  6: { code: 'rate_limited', retryAfterMs: second },
  7: notAllowed,
  8: refused,
  // Too many similar actions, or the same words, on one wall. A repeat that comes too early prolongs it. Other walls
  // are not concerned.
  9: { code: 'rate_limited', scope: 'channel', retryAfterMs: 30 * minute },
  10: unknown,
  // Of `execute`, which this adapter does not call.
  12: refused,
  13: refused,
  14: askPerson,
  15: notAllowed,
  17: askPerson,
  18: notAllowed,
  19: invalid,
  20: { ...newToken, advice: 'take the token of a standalone application' },
  22: uploadAgain,
  23: noSuchMethod,
  24: askPerson,
  // The token of a community. It may post text, so the credential as such is not refused.
  27: {
    ...notAllowed,
    advice: `the token of ${administrator} is needed; that of a community can only post text to its own wall`,
  },
  28: { ...newToken, advice: `take the token of ${administrator}` },
  29: { code: 'rate_limited', retryAfterMs: 3 * hour },
  30: notAllowed,
  33: noSuchMethod,
  36: unknown,
  37: notAllowed,
  40: noSuchWall,
  42: { ...newToken, advice: 'allow the address of this machine in the application of the token' },
  100: invalid,
  101: newToken,
  103: invalid,
  104: { code: 'message_not_found' },
  113: noSuchWall,
  // The receipt of an upload was not taken: the next attempt uploads anew.
  114: uploadAgain,
  118: uploadAgain,
  121: uploadAgain,
  122: invalid,
  125: noSuchWall,
  129: invalid,
  150: invalid,
  200: notAllowed,
  203: notAllowed,
  210: { code: 'not_changeable' },
  211: refused,
  212: refused,
  213: refused,
  214: { ...notAllowed, advice: 'the wall must be open for posts of the owner of the token' },
  219: { code: 'rate_limited', scope: 'delivery', retryAfterMs: hour },
  220: refused,
  222: { ...invalid, advice: 'this wall takes no posts with links' },
  223: refused,
  224: { code: 'rate_limited', scope: 'delivery' },
  225: refused,
  300: notAllowed,
  703: { ...newToken, advice: 'let the owner of the token turn on two-factor authentication' },
  900: notAllowed,
  901: notAllowed,
  902: notAllowed,
  914: invalid,
  1051: { ...newToken, advice: `tokens of VK ID do not work here; take that of ${administrator}` },
  1116: newToken,
  1117: newToken,
  3102: invalid,
  3300: askPerson,
  3301: askPerson,
  3302: askPerson,
  3303: askPerson,
  3304: askPerson,
  3305: askPerson,
  3609: newToken,
  3610: newToken,
};

/** A code that nobody has seen counts as a refusal of this post. */
export function judgeRefusal(refusal: VkRefusal, now: Date): SendError {
  const { error_code: said, error_msg: words } = refusal;
  const { code, advice, scope, retryAfterMs } =
    rowByDetail(said, words, now) ?? answerTable[said] ?? refused;
  const message = `VK answers with error ${said}, ${words}`;
  const details = {
    ...(scope !== undefined && { scope }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    raw: refusal,
  };
  if (code === 'credential_refused')
    return sendError(code, message, { remedy: advice, ...details });
  return sendError(code, advice === undefined ? message : `${message}; ${advice}`, details);
}

function rowByDetail(said: number, words: string, now: Date): Row | undefined {
  // VK refuses a wall that does not exist as a wrong parameter.
  if (said === 100 && /\b(owner_id|group_id|user_id)\b/.test(words)) return noSuchWall;
  const tomorrow = { code: 'rate_limited', retryAfterMs: untilTomorrow(now) } as const;
  if (said === 224) return { ...tomorrow, scope: 'delivery' };
  if (said !== 214) return undefined;
  // VK counts what the owner of a token sends over all walls, and what a wall takes for each wall. For words that
  // nobody has seen we assume the limit of the wall: other walls then still try.
  if (/\btoo many messages sent\b/i.test(words)) return tomorrow;
  if (/a day\b|\btoo many\b|cannot schedule more/i.test(words)) {
    return { ...tomorrow, scope: 'channel' };
  }
  if (/already scheduled/i.test(words)) {
    return { code: 'rate_limited', scope: 'delivery', retryAfterMs: minute };
  }
  if (/cannot postpone/i.test(words)) return invalid;
  return undefined;
}

/** VK keeps Moscow's time. At least an hour, in case the quota does not begin with the day. */
function untilTomorrow(now: Date): number {
  const inMoscow = now.getTime() + 3 * hour;
  return Math.max(hour, day - (inMoscow % day));
}
