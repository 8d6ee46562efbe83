import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelegram, type TelegramSandbox, user } from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeAll(async () => {
  sandbox = await startTelegram();
});

afterAll(() => sandbox.close());

const send = (markup: unknown) =>
  sandbox.words('sendMessage', { chat_id: user, text: 'a', reply_markup: markup });
const inline = (...buttons: unknown[]) => send({ inline_keyboard: [buttons] });

describe('an inline keyboard', () => {
  it('comes back as it is kept', async () => {
    const sent = await inline(
      { text: 'Site', url: 'example.com' },
      { text: 'Data', callback_data: 'я'.repeat(32) },
      { text: 'App', web_app: { url: 'https://x.io' } },
      { text: '', url: 'https://x.io' },
    );
    expect(sent).toMatchObject({
      reply_markup: {
        inline_keyboard: [
          [
            { text: 'Site', url: 'http://example.com/' },
            { text: 'Data', callback_data: 'я'.repeat(32) },
            { text: 'App', web_app: { url: 'https://x.io' } },
          ],
        ],
      },
    });
  });

  it.each<[unknown, string]>([
    ['{', "can't parse reply keyboard markup JSON object"],
    ['[]', 'object expected as reply markup'],
    [{ inline_keyboard: 1 }, 'field "inline_keyboard" must be of type Array'],
    [
      { inline_keyboard: [1] },
      'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
    ],
    [
      { inline_keyboard: [[1]] },
      "can't parse inline keyboard button: InlineKeyboardButton must be an Object",
    ],
    [
      { inline_keyboard: [[{ url: 'x.io' }]] },
      'can\'t parse inline keyboard button: Can\'t find field "text"',
    ],
    [
      { inline_keyboard: [[{ text: [] }]] },
      'can\'t parse inline keyboard button: Field "text" must be of type String',
    ],
    [
      { inline_keyboard: [[{ text: 'a' }]] },
      "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    ],
    [{ inline_keyboard: [[{ text: 'a', callback_data: 'x'.repeat(65) }]] }, 'BUTTON_DATA_INVALID'],
    [{ inline_keyboard: [[{ text: 'a', callback_data: 'я'.repeat(33) }]] }, 'BUTTON_DATA_INVALID'],
    [
      { inline_keyboard: [[{ text: 'a', url: 'http://localhost:3000' }]] },
      "inline keyboard button URL 'http://localhost:3000' is invalid: Wrong HTTP URL",
    ],
    [
      { inline_keyboard: [[{ text: 'a', url: 'ftp://x.io' }]] },
      "inline keyboard button URL 'ftp://x.io' is invalid: Unsupported URL protocol",
    ],
    [
      { inline_keyboard: [[{ text: 'a', url: 'javascript:alert(1)' }]] },
      "inline keyboard button URL 'javascript:alert(1)' is invalid: Wrong port number specified in the URL",
    ],
    [
      { inline_keyboard: [[{ text: 'a', url: 'https://' }]] },
      "inline keyboard button URL 'https://' is invalid: URL host is empty",
    ],
    [
      { inline_keyboard: Array.from({ length: 101 }, () => [{ text: 'a', callback_data: 'a' }]) },
      'reply markup is too long',
    ],
    [{ keyboard: [1] }, 'field "keyboard" must be an Array of Arrays'],
    [
      { keyboard: [[1]] },
      "can't parse keyboard button: KeyboardButton must be a String or an Object",
    ],
    [{ force_reply: 1 }, 'field "force_reply" must be of type Boolean'],
  ])('that cannot be is refused: %j', async (markup, words) => {
    expect(await send(markup)).toBe(`400 Bad Request: ${words}`);
  });

  it('may be of another kind, which the message does not show', async () => {
    for (const markup of [
      { keyboard: [['a', { text: 'b' }]] },
      { remove_keyboard: true },
      { force_reply: true },
      {},
    ]) {
      expect(await send(markup)).not.toHaveProperty('reply_markup');
    }
  });
});
