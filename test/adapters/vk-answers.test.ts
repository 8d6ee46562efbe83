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

const again = { category: 'TRANSIENT', scope: 'delivery' } as const;
const never = { category: 'PERMANENT', scope: 'delivery' } as const;
const closed = { category: 'PERMANENT', scope: 'channel' } as const;

const unknown: Expected = { ...again, code: 'outcome_unknown' };
const invalid: Expected = { ...never, code: 'validation_failed' };
const refused: Expected = { ...never, code: 'refused' };
const noMethod: Expected = { ...closed, code: 'refused' };
const noWall: Expected = { ...closed, code: 'chat_not_found' };
const notAllowed: Expected = { ...closed, code: 'not_allowed' };
const uploadAgain: Expected = { ...again, code: 'upload_failed' };
const slowDown: Expected = { category: 'TRANSIENT', scope: 'platform', code: 'rate_limited' };
const wallSlowsDown: Expected = { ...slowDown, scope: 'channel' };
const postWaits: Expected = { ...slowDown, scope: 'delivery' };
const newToken: Expected = { ...slowDown, code: 'credential_refused' };
const human: Expected = { ...newToken, remedy: expect.stringMatching(/^let a person sign in/) };
const userToken = expect.stringContaining('of a user who administers the community');

const table: Readonly<Record<number, Expected>> = {
  1: unknown,
  2: { ...newToken, remedy: 'enable the application of the token' },
  3: noMethod,
  4: newToken,
  5: newToken,
  6: { ...slowDown, retryAfterMs: second },
  7: notAllowed,
  8: refused,
  9: { ...wallSlowsDown, retryAfterMs: 30 * minute },
  10: unknown,
  12: refused,
  13: refused,
  14: human,
  15: notAllowed,
  17: human,
  18: notAllowed,
  19: invalid,
  20: { ...newToken, remedy: expect.stringContaining('standalone') },
  22: uploadAgain,
  23: noMethod,
  24: human,
  27: { ...notAllowed, words: /the token of a user who administers/ },
  28: { ...newToken, remedy: userToken },
  29: { ...slowDown, retryAfterMs: 3 * hour },
  30: notAllowed,
  33: noMethod,
  36: unknown,
  37: notAllowed,
  40: noWall,
  42: { ...newToken, remedy: expect.stringContaining('the address of this machine') },
  100: invalid,
  101: newToken,
  103: invalid,
  104: { ...never, code: 'message_not_found' },
  113: noWall,
  114: uploadAgain,
  118: uploadAgain,
  121: uploadAgain,
  122: invalid,
  125: noWall,
  129: invalid,
  150: invalid,
  200: notAllowed,
  203: notAllowed,
  210: { ...never, code: 'not_changeable' },
  211: refused,
  212: refused,
  213: refused,
  214: { ...notAllowed, words: /the wall must be open/ },
  219: { ...postWaits, retryAfterMs: hour },
  220: refused,
  222: { ...invalid, words: /takes no posts with links/ },
  223: refused,
  224: { ...postWaits, retryAfterMs: untilTomorrow },
  225: refused,
  300: notAllowed,
  703: { ...newToken, remedy: expect.stringContaining('two-factor') },
  900: notAllowed,
  901: notAllowed,
  902: notAllowed,
  914: invalid,
  1051: { ...newToken, remedy: expect.stringContaining('tokens of VK ID do not work here') },
  1116: newToken,
  1117: newToken,
  3102: invalid,
  3300: human,
  3301: human,
  3302: human,
  3303: human,
  3304: human,
  3305: human,
  3609: newToken,
  3610: newToken,
};

const details: readonly (readonly [number, string, Expected])[] = [
  // What a wall takes in a day is counted on each wall, what a person sends over all of them.
  [214, 'you can only add 50 posts a day', { ...wallSlowsDown, retryAfterMs: untilTomorrow }],
  [214, 'can only schedule 25 posts on a day', { ...wallSlowsDown, retryAfterMs: untilTomorrow }],
  [214, 'cannot schedule more than 150 posts', { ...wallSlowsDown, retryAfterMs: untilTomorrow }],
  [214, 'too many posts a day', { ...wallSlowsDown, retryAfterMs: untilTomorrow }],
  [214, 'too many posts', { ...wallSlowsDown, retryAfterMs: untilTomorrow }],
  [214, 'too many messages sent', { ...slowDown, retryAfterMs: untilTomorrow }],
  [214, 'a post is already scheduled for this time', { ...postWaits, retryAfterMs: minute }],
  [214, 'cannot postpone the post for more than a year', invalid],
  [214, 'access to the wall is closed', notAllowed],
  [100, 'owner_id is incorrect', noWall],
  [100, 'group_id not integer', noWall],
  [100, 'message is undefined', invalid],
  [100, 'photos_list is invalid', invalid],
  [5, 'invalid access_token (4).', newToken],
  [5, 'user revoke access for this token', newToken],
  [15, 'no access to call this method.', notAllowed],
];

describe('the answer table of VK', () => {
  const stage = useStage(vkHarness);

  async function refuse(code: number, detail?: string): Promise<SendError> {
    stage().simulator.control('fail', { code, ...(detail === undefined ? {} : { detail }) });
    return errorOf(await stage().send());
  }

  function expectRow(error: SendError, code: number, { words = /./, ...row }: Expected): void {
    expect(error).toMatchObject(row);
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
    expect(error).toMatchObject(human);
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
    expect(errorOf(await stage().send())).toMatchObject(refused);
  });

  it('is judged by its code although other fields are of other types', async () => {
    error = { error_code: 14, error_subcode: 'x', captcha_sid: 12, redirect_uri: ['x'] };
    expect(errorOf(await stage().send())).toMatchObject(human);
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
    expect(errorOf(await stage().send())).toMatchObject(notAllowed);
  });
});
