// The answer table of VK: error code → what it means for the delivery, the channel or the platform.
// VK refuses with status 200; only the code tells one refusal from another, and for a few the detail
// behind the colon.

import type { SendError } from '../adapter.ts';
import { maybeSent, permanent, transient } from '../answer.ts';

export interface VkRefusal {
  readonly error_code: number;
  readonly error_msg: string;
}

interface Rule {
  readonly category: SendError['category'] | 'UNKNOWN';
  readonly scope?: SendError['scope'];
  readonly retryAfterMs?: number;
  /** What to do about it, for those who read the error. */
  readonly advice?: string;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const unclear: Rule = { category: 'UNKNOWN' };
const content: Rule = { category: 'PERMANENT' };
const closed: Rule = { category: 'PERMANENT', scope: 'channel' };
const again: Rule = { category: 'TRANSIENT' };

const newToken = { ...closed, advice: 'a new token is needed' };
const userToken = {
  ...closed,
  advice:
    'the token of a user who administers the community is needed, with the rights wall and photos; the token of a community can only post text to its own wall',
};
const askPerson = {
  ...closed,
  advice: 'a person must sign in to VK as the owner of the token and do what VK asks there',
};

const rules: Readonly<Record<number, Rule>> = {
  1: unclear,
  2: { ...closed, advice: 'the application of the token must be enabled' },
  3: closed,
  4: closed,
  5: newToken,
  6: { category: 'TRANSIENT', scope: 'platform', retryAfterMs: second },
  7: closed,
  8: content,
  // Repeated too early, it lasts longer.
  9: { category: 'TRANSIENT', scope: 'platform', retryAfterMs: 30 * minute },
  10: unclear,
  14: askPerson,
  15: closed,
  17: askPerson,
  18: closed,
  19: content,
  20: { ...closed, advice: 'the token of a standalone application is needed' },
  22: again,
  23: closed,
  24: askPerson,
  27: userToken,
  28: userToken,
  29: { category: 'TRANSIENT', scope: 'platform', retryAfterMs: 3 * hour },
  30: closed,
  36: unclear,
  37: closed,
  40: closed,
  42: { ...closed, advice: 'the address of this machine must be allowed in the application' },
  100: content,
  101: closed,
  103: content,
  104: content,
  113: closed,
  // The receipt of an upload was not taken: the next attempt uploads anew.
  114: again,
  118: again,
  121: again,
  122: content,
  125: closed,
  129: content,
  150: content,
  200: closed,
  203: closed,
  210: content,
  211: content,
  212: content,
  213: content,
  219: { category: 'TRANSIENT', retryAfterMs: hour },
  220: content,
  222: { ...content, advice: 'this wall takes no posts with links' },
  223: content,
  225: content,
  300: closed,
  703: { ...closed, advice: 'the owner of the token must turn on two-factor authentication' },
  900: closed,
  901: closed,
  902: closed,
  914: content,
  1051: { ...userToken, advice: `tokens of VK ID do not work here: ${userToken.advice}` },
  1116: newToken,
  1117: newToken,
  3102: content,
  3300: askPerson,
  3301: askPerson,
  3302: askPerson,
  3303: askPerson,
  3304: askPerson,
  3305: askPerson,
  3609: newToken,
  3610: closed,
};

/** An unknown code is a refusal all the same, of this post as far as we know. */
export function judgeRefusal(refusal: VkRefusal, now: Date): SendError {
  const { error_code: code, error_msg: words } = refusal;
  const rule = ruleByDetail(code, words, now) ?? rules[code] ?? content;
  const advice = rule.advice === undefined ? '' : `; ${rule.advice}`;
  const message = `VK answers with error ${code}, ${words}${advice}`;
  if (rule.category === 'UNKNOWN') return maybeSent(message, refusal);
  const make = rule.category === 'TRANSIENT' ? transient : permanent;
  return make(String(code), message, {
    scope: rule.scope ?? 'delivery',
    retryAfterMs: rule.retryAfterMs,
    raw: refusal,
  });
}

function ruleByDetail(code: number, words: string, now: Date): Rule | undefined {
  // A wall that is not there is refused as a wrong parameter.
  if (code === 100 && /\b(owner_id|group_id|user_id)\b/.test(words)) return closed;
  if (code === 224) return { category: 'TRANSIENT', retryAfterMs: untilTomorrow(now) };
  if (code !== 214) return undefined;
  if (/a day\b|\btoo many\b|cannot schedule more/i.test(words)) {
    return { category: 'TRANSIENT', scope: 'platform', retryAfterMs: untilTomorrow(now) };
  }
  if (/already scheduled/i.test(words)) return { category: 'TRANSIENT', retryAfterMs: minute };
  if (/cannot postpone/i.test(words)) return content;
  return { ...closed, advice: 'the wall must be open for posts of the owner of the token' };
}

/** VK keeps Moscow's time. Just before midnight an hour, should the quota not begin with the day. */
function untilTomorrow(now: Date): number {
  const inMoscow = now.getTime() + 3 * hour;
  return Math.max(hour, day - (inMoscow % day));
}
