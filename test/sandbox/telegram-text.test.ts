import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelegram, type TelegramSandbox, user } from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeAll(async () => {
  sandbox = await startTelegram();
});

afterAll(() => sandbox.close());

const send = (text: unknown, more: object = {}) =>
  sandbox.words('sendMessage', { chat_id: user, text, ...more });
const caption = (text: string, more: object = {}) =>
  sandbox.words('sendPhoto', {
    chat_id: user,
    photo: 'https://x.io/a.jpg',
    caption: text,
    ...more,
  });
const shown = async (text: string, parseMode = 'HTML') => {
  const { result } = await sandbox.call('sendMessage', {
    chat_id: user,
    text,
    parse_mode: parseMode,
  });
  return result;
};

describe('the length of a text', () => {
  it('is counted in code points after the markup is read', async () => {
    expect(await send('👋'.repeat(4096))).toMatchObject({ text: '👋'.repeat(4096) });
    expect(await send('👋'.repeat(4097))).toBe('400 Bad Request: message is too long');
    const bold = `<b>${'x'.repeat(4096)}</b>`;
    expect(await send(bold, { parse_mode: 'HTML' })).toMatchObject({ text: 'x'.repeat(4096) });
    expect(await send(bold)).toBe('400 Bad Request: message is too long');
  });

  it('is at most 1024 for a caption', async () => {
    expect(await caption('я'.repeat(1024))).toMatchObject({ caption: 'я'.repeat(1024) });
    expect(await caption('я'.repeat(1025))).toBe('400 Bad Request: message caption is too long');
  });

  it('is at most 32,768 bytes before anything is read', async () => {
    expect(await send('я'.repeat(16_385))).toBe('400 Bad Request: text is too long');
    expect(await send('я'.repeat(16_384))).toBe('400 Bad Request: message is too long');
  });
});

describe('a text', () => {
  it.each([
    ['', 'message text is empty'],
    [' \n\t ', 'text must be non-empty'],
    ['\ud800', 'strings must be encoded in UTF-8'],
  ])('that says nothing is refused: %j', async (text, words) => {
    expect(await send(text)).toBe(`400 Bad Request: ${words}`);
  });

  it.each(
    Array.from(
      '\u00a0\u1680\u180e\u2000\u200a\u200b\u200f\u202f\u205f\u2800\u3000\ufeff\ufffc\u{e0000}\u{e007f}',
    ),
  )('of a character alone that takes no room is refused: %j', async (text) => {
    expect(await send(text)).toBe('400 Bad Request: text must be non-empty');
  });

  it.each(['\u2028', '\u202a', '\u202e', '\u030a', '\u0333', '\u033f', '\r'])(
    'of a character alone that is dropped is refused: %j',
    async (text) => {
      expect(await send(text)).toBe('400 Bad Request: text must be non-empty');
    },
  );

  it.each(['\u2060', '\u3164', '\u0301', '\u{e0080}', '\u{e0100}'])(
    'of another character alone that shows little is taken: %j',
    async (text) => {
      expect(await send(text)).toMatchObject({ text });
    },
  );

  it('is measured without the characters that are dropped', async () => {
    const text = `${'x'.repeat(4090)}${'\u202e\u0333\u033f\u030a'.repeat(10)}`;
    expect(await send(text)).toMatchObject({ text: 'x'.repeat(4090) });
    expect(await caption(`${'x'.repeat(1024)}\u2029`)).toMatchObject({ caption: 'x'.repeat(1024) });
  });

  it('keeps of direction marks in a row only the last', async () => {
    expect(await send('a\u200e\u200f\u200eb')).toMatchObject({ text: 'a\u200c\u200c\u200eb' });
  });

  it('under a photo may be of characters that take no room, but not of blanks', async () => {
    expect(await caption('\u200b')).toMatchObject({ caption: '\u200b' });
    expect(await caption(' \n\t ')).not.toHaveProperty('caption');
  });

  it('that is nothing but empty markup is refused', async () => {
    expect(await send('<b> </b>', { parse_mode: 'HTML' })).toBe(
      '400 Bad Request: text must be non-empty',
    );
  });

  it('loses white space at both ends, carriage returns and control characters', async () => {
    expect(await send('\n  a\r\nb\tc\u0007 \u202ed \n')).toMatchObject({ text: 'a\nb c  d' });
    expect(await shown('  <b> a </b> ')).toMatchObject({
      text: ' a',
      entities: [{ type: 'bold', offset: 0, length: 2 }],
    });
  });

  it('keeps JSON that is not a string as it was written', async () => {
    expect(await send(5)).toMatchObject({ text: '5' });
    expect(await send(null)).toMatchObject({ text: 'null' });
  });

  it('has a parse mode that exists', async () => {
    expect(await send('a', { parse_mode: 'BBCode' })).toBe(
      '400 Bad Request: unsupported parse_mode',
    );
    expect(await send('*a*', { parse_mode: 'none' })).toMatchObject({ text: '*a*' });
    expect(await send('*a*', { parse_mode: 'markdownV2' })).toMatchObject({ text: 'a' });
    expect(await send('*a*', { parse_mode: 'Markdown' })).toMatchObject({ text: 'a' });
  });

  it('says where its markup is wrong', async () => {
    expect(await send('я<b>', { parse_mode: 'HTML' })).toBe(
      '400 Bad Request: can\'t parse entities: Can\'t find end tag corresponding to start tag "b"',
    );
    expect(await caption('я.', { parse_mode: 'MarkdownV2' })).toBe(
      "400 Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
    );
  });
});

describe('entities', () => {
  const entities = async (text: string, mode?: string) => {
    const result = await shown(text, mode);
    expect(result).toHaveProperty('entities');
    return result;
  };

  it('are joined, and cut where others begin', async () => {
    expect(await entities('<b>aa</b><b>bb<i>cc</i>dd</b>')).toMatchObject({
      entities: [
        { type: 'bold', offset: 0, length: 4 },
        { type: 'bold', offset: 4, length: 4 },
        { type: 'italic', offset: 4, length: 2 },
      ],
    });
  });

  it('do not stand inside code', async () => {
    expect(await entities('<b>aa<code>bb</code>cc</b>')).toMatchObject({
      entities: [
        { type: 'bold', offset: 0, length: 2 },
        { type: 'code', offset: 2, length: 2 },
        { type: 'bold', offset: 4, length: 2 },
      ],
    });
  });

  it('follow the characters that are dropped before them', async () => {
    expect(await entities('\na\r\n<b>b</b>')).toMatchObject({
      text: 'a\nb',
      entities: [{ type: 'bold', offset: 2, length: 1 }],
    });
  });

  it('of an address keep the brackets that it opens, and none that the sentence opens', async () => {
    expect(await send('(https://x.io/Bim_(dog)), https://x.io/a.')).toMatchObject({
      entities: [
        { type: 'url', offset: 1, length: 22 },
        { type: 'url', offset: 26, length: 14 },
      ],
    });
  });

  it('are found in plain text, outside of links and code', async () => {
    const text =
      'see https://x.io/a?b=1, x.com. #tag @someone /start a@b.io $USD <a href="y.io">z.com</a> <code>#no</code>';
    expect(await entities(text)).toMatchObject({
      entities: [
        { type: 'url', offset: 4, length: 18 },
        { type: 'url', offset: 24, length: 5 },
        { type: 'hashtag', offset: 31, length: 4 },
        { type: 'mention', offset: 36, length: 8 },
        { type: 'bot_command', offset: 45, length: 6 },
        { type: 'email', offset: 52, length: 6 },
        { type: 'cashtag', offset: 59, length: 4 },
        { type: 'text_link', offset: 64, length: 5, url: 'http://y.io/' },
        { type: 'code', offset: 70, length: 3 },
      ],
    });
  });

  it('may be given in place of a parse mode', async () => {
    const given = [
      { type: 'bold', offset: 0, length: 2 },
      { type: 'text_link', offset: 3, length: 1, url: 'x.io' },
      { type: 'pre', offset: 5, length: 1, language: 'ts' },
      { type: 'date_time', offset: 7, length: 1, unix_time: 9, date_time_format: 'wDT' },
      { type: 'hashtag', offset: 5, length: 1 },
      { type: 'italic', offset: 5, length: 0 },
    ];
    expect(await send('👋 a b c', { entities: given })).toMatchObject({
      entities: [given[0], { ...given[1], url: 'http://x.io/' }, given[2], given[3]],
    });
    expect(await send('a', { entities: 'no JSON' })).toMatchObject({ text: 'a' });
  });

  it.each([
    [
      { type: 'bold', offset: 0, length: 9 },
      'entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 9',
    ],
    [
      { type: 'bold', offset: 7, length: 1 },
      'entity begins after the end of the text at UTF-16 offset 7',
    ],
    [{ type: 'bold', offset: -1, length: 1 }, 'receive an entity with incorrect offset -1'],
    [{ type: 'bold', offset: 0, length: -1 }, 'receive an entity with incorrect length -1'],
    [
      { type: 'bold', offset: 1, length: 1 },
      'entity begins in a middle of a UTF-16 symbol at byte offset 4',
    ],
    [
      { type: 'bold', offset: 0, length: 1 },
      'entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 4',
    ],
    [
      { type: 'custom_emoji', offset: 0, length: 2, custom_emoji_id: '007' },
      'invalid custom emoji identifier specified',
    ],
    [{ type: 'date_time', offset: 0, length: 2, unix_time: 0 }, 'invalid date specified'],
    [
      { type: 'date_time', offset: 0, length: 2, unix_time: 9, date_time_format: 'x' },
      "can't parse MessageEntity: Invalid date-time format specified",
    ],
    [
      { type: 'blink', offset: 0, length: 1 },
      "can't parse MessageEntity: Unsupported type specified",
    ],
    [{ offset: 0, length: 1 }, 'can\'t parse MessageEntity: Can\'t find field "type"'],
    [{ type: 'bold', length: 1 }, 'can\'t parse MessageEntity: Can\'t find field "offset"'],
    [
      { type: 'text_link', offset: 0, length: 2, url: 'x' },
      "entity URL 'x' is invalid: Wrong HTTP URL",
    ],
    ['bold', "can't parse MessageEntity: expected an Object"],
  ])('that cannot be are refused: %j', async (entity, words) => {
    expect(await send('👋 a', { entities: [entity] })).toBe(`400 Bad Request: ${words}`);
  });

  it('are at most a hundred', async () => {
    const result = await shown('<b>a</b> '.repeat(150));
    expect(result).toHaveProperty('entities.length', 100);
  });
});
