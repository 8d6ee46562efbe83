import { describe, expect, it } from 'vitest';
import { isErrorCode } from '../../sandbox/vk/errors.ts';
import type { SendError } from '../../src/adapters/adapter.ts';
import { errorOf, useStage } from './stage.ts';
import { vkHarness } from './vk-harness.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** The stage's clock stands at 13:00 of Moscow. */
const untilTomorrow = 11 * hour;

type Expected = Partial<SendError> & { readonly words?: RegExp };

const unclear: Expected = { category: 'TRANSIENT', scope: 'delivery', code: 'outcome_unknown' };
const content: Expected = { category: 'PERMANENT', scope: 'delivery' };
const closed: Expected = { category: 'PERMANENT', scope: 'channel' };
const again: Expected = { category: 'TRANSIENT', scope: 'delivery' };
const slowDown: Expected = { category: 'TRANSIENT', scope: 'platform' };
const human: Expected = { ...closed, words: /a person must sign in/ };
const newToken: Expected = { ...closed, words: /a new token is needed/ };
const userToken: Expected = { ...closed, words: /the token of a user who administers/ };

const table: Readonly<Record<number, Expected>> = {
  1: unclear,
  2: { ...closed, words: /must be enabled/ },
  3: closed,
  4: closed,
  5: newToken,
  6: { ...slowDown, retryAfterMs: second },
  7: closed,
  8: content,
  9: { ...slowDown, retryAfterMs: 30 * minute },
  10: unclear,
  14: human,
  15: closed,
  17: human,
  18: closed,
  19: content,
  20: { ...closed, words: /standalone/ },
  22: again,
  23: closed,
  24: human,
  27: userToken,
  28: userToken,
  29: { ...slowDown, retryAfterMs: 3 * hour },
  30: closed,
  36: unclear,
  37: closed,
  40: closed,
  42: { ...closed, words: /the address of this machine/ },
  100: content,
  101: closed,
  103: content,
  104: content,
  113: closed,
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
  214: { ...closed, words: /the wall must be open/ },
  219: { ...again, retryAfterMs: hour },
  220: content,
  222: { ...content, words: /takes no posts with links/ },
  223: content,
  224: { ...again, retryAfterMs: untilTomorrow },
  225: content,
  300: closed,
  703: { ...closed, words: /two-factor/ },
  900: closed,
  901: closed,
  902: closed,
  914: content,
  1051: { ...userToken, words: /tokens of VK ID do not work here/ },
  1116: newToken,
  1117: newToken,
  3102: content,
  3300: human,
  3301: human,
  3302: human,
  3303: human,
  3304: human,
  3305: human,
  3609: newToken,
  3610: closed,
};

const details: readonly (readonly [number, string, Expected])[] = [
  [214, 'you can only add 50 posts a day', { ...slowDown, retryAfterMs: untilTomorrow }],
  [214, 'can only schedule 25 posts on a day', { ...slowDown, retryAfterMs: untilTomorrow }],
  [214, 'too many messages sent', { ...slowDown, retryAfterMs: untilTomorrow }],
  [214, 'cannot schedule more than 150 posts', { ...slowDown, retryAfterMs: untilTomorrow }],
  [214, 'a post is already scheduled for this time', { ...again, retryAfterMs: minute }],
  [214, 'cannot postpone the post for more than a year', content],
  [214, 'access to the wall is closed', closed],
  [100, 'owner_id is incorrect', closed],
  [100, 'group_id not integer', closed],
  [100, 'message is undefined', content],
  [100, 'photos_list is invalid', content],
  [5, 'invalid access_token (4).', newToken],
  [5, 'user revoke access for this token', newToken],
  [15, 'no access to call this method.', closed],
];

describe('the answer table of VK', () => {
  const stage = useStage(vkHarness);

  async function refuse(code: number, detail?: string): Promise<SendError> {
    stage().simulator.control('fail', { code, ...(detail === undefined ? {} : { detail }) });
    return errorOf(await stage().send());
  }

  function expectRow(error: SendError, code: number, { words = /./, ...row }: Expected): void {
    expect(error).toMatchObject({ code: String(code), ...row });
    expect(error.retryAfterMs).toBe(row.retryAfterMs);
    expect(error.message).toMatch(words);
    expect(error.message).toContain(`error ${code}, `);
    expect(error.raw).toMatchObject({ error_code: code });
  }

  it.each(Object.entries(table))('has a row for %s', async (code, row) => {
    expectRow(await refuse(Number(code)), Number(code), row);
    expect(stage().calls).toHaveLength(1);
  });

  it.each(details)('judges %i by its detail: %s', async (code, detail, row) => {
    const error = await refuse(code, detail);
    expectRow(error, code, row);
    expect(error.message).toContain(detail);
  });

  it('has a row for every code that the simulator knows', () => {
    const known = Array.from({ length: 5000 }, (_, code) => code).filter(isErrorCode);
    expect(Object.keys(table).map(Number)).toEqual(known);
  });

  it('takes a quota that is met just before midnight of Moscow for one of 24 hours', async () => {
    stage().clock.advance(untilTomorrow - minute);
    const error = await refuse(214, 'you can only add 50 posts a day');
    expect(error.retryAfterMs).toBe(hour);
  });

  it('keeps the words of VK and what a person needs, but not the post', async () => {
    stage().simulator.control('captcha', { method: 'wall.post' });
    const error = errorOf(await stage().send({ text: 'Секретный пёс' }));
    expect(error).toMatchObject({ ...closed, code: '14' });
    expect(error.raw).toMatchObject({ captcha_sid: expect.any(String) });
    expect(JSON.stringify(error)).not.toContain('Секретный пёс');
  });
});

describe('an error that VK has not had so far', () => {
  let error: object = {};
  const stage = useStage(vkHarness, {
    disguise: (simulator) => ({
      ...simulator,
      handle: () => ({ status: 200, body: JSON.stringify({ error }) }),
    }),
  });

  it('is a refusal of the post when nobody knows the code', async () => {
    error = { error_code: 77_777, error_msg: 'New' };
    expect(errorOf(await stage().send())).toMatchObject({ ...content, code: '77777' });
  });

  it('is judged by its code although other fields are of other types', async () => {
    error = { error_code: 14, error_subcode: 'x', captcha_sid: 12, redirect_uri: ['x'] };
    expect(errorOf(await stage().send())).toMatchObject({ ...closed, code: '14' });
  });

  it('is cut where it is longer than an error can be kept', async () => {
    const long = '🐕'.repeat(30_000);
    error = {
      error_code: 15,
      error_msg: `x${long}`,
      error_text: long,
      captcha_img: long,
      more: long,
    };
    expect(errorOf(await stage().send())).toMatchObject({ ...closed, code: '15' });
  });
});
