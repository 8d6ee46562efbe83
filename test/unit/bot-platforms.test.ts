import { describe, expect, it } from 'vitest';
import { botPlatforms } from '../../src/bot/platforms.ts';

const [max, telegram] = ['max', 'telegram'].map((name) =>
  botPlatforms.find((each) => each.name === name),
);

describe('what is no update', () => {
  it.each([
    ['a list', []],
    ['null', null],
    ['a text', 'привет'],
    ['an object without the key that each update has', { message: {} }],
  ])('is refused with the name of what is missing when it is %s', (_what, body) => {
    expect(telegram?.readUpdate(body)).toEqual({
      kind: 'unreadable',
      why: 'it has no update_id',
    });
    expect(max?.readUpdate(body)).toEqual({ kind: 'unreadable', why: 'it has no update_type' });
  });

  it('is refused with the places that are not as the platform writes them', () => {
    const why = 'it is not as Telegram writes it: message.date, message.chat';
    const body = { update_id: 1, message: { message_id: 1 } };
    expect(telegram?.readUpdate(body)).toEqual({ kind: 'unreadable', why });
  });
});
