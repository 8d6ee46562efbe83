import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// What masking takes out of a text, and what it leaves. JSON follows in masking-json; that every
// function masks what it writes, in masking-events.

const database = await useDatabase();

const botToken = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1';
const vkToken = 'vk1.a.Kx7Qz0-_mWv3y5Rt8Pp2Lq9Nn4Jj6Hh1Gg';

const masked: readonly (readonly [text: string, becomes: string])[] = [
  // bot tokens
  [botToken, '[token]'],
  [
    `https://api.telegram.org/bot${botToken}/sendMessage`,
    'https://api.telegram.org/bot[token]/sendMessage',
  ],
  [
    `https://api.telegram.org/file/bot${botToken}/photos/1.jpg`,
    'https://api.telegram.org/file/bot[token]/photos/1.jpg',
  ],
  [
    `fetch failed: POST /bot${botToken}/getMe, ECONNRESET`,
    'fetch failed: POST /bot[token]/getMe, ECONNRESET',
  ],
  // VK tokens
  [vkToken, '[token]'],
  [vkToken.replace('vk1', 'vk2'), '[token]'],
  [`the token ${vkToken} has expired`, 'the token [token] has expired'],
  [
    `https://api.vk.com/method/wall.post?access_token=${vkToken}&v=5.199`,
    'https://api.vk.com/method/wall.post?access_token=[token]&v=5.199',
  ],
  // headers
  ['Authorization: Bearer 5f4dcc3b5aa765d61d8327deb882cf99', 'Authorization: [token]'],
  ['authorization: bearer 5f4dcc3b5aa765d61d8327deb882cf99', 'authorization: [token]'],
  ['Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l', 'Authorization: [token]'],
  ['Authorization: f9LHodD0cOKMaLD7ocpsLD4MUvN5DhFx2q', 'Authorization: [token]'],
  ['sent with Bearer 5f4dcc3b5aa765d61d8327deb882cf99 to MAX', 'sent with Bearer [token] to MAX'],
  ['X-Telegram-Bot-Api-Secret-Token: my_hook_secret', 'X-Telegram-Bot-Api-Secret-Token: [token]'],
  ['X-Max-Bot-Api-Secret: my_hook_secret', 'X-Max-Bot-Api-Secret: [token]'],
  // queries and forms
  ['?access_token=f9LHodD0cOKM&chat_id=5', '?access_token=[token]&chat_id=5'],
  ['client_secret=hunter22&grant_type=x', 'client_secret=[token]&grant_type=x'],
  ['api_key=0123456789abcdef', 'api_key=[token]'],
  ['password: hunter22, user: ann', 'password: [token], user: ann'],
  // JSON that was quoted into a text, once and twice
  ['{"access_token":"f9LHodD0cOKM","expires_in":0}', '{"access_token":"[token]","expires_in":0}'],
  ['"{\\"refresh_token\\": \\"f9LHodD0cOKM\\"}"', '"{\\"refresh_token\\": \\"[token]\\"}"'],
  // e-mail addresses
  ['write to ann.lee+news@mail.example.co.uk, please', 'write to [email], please'],
  ['Ann <ann@example.com>', 'Ann <[email]>'],
  ['mailto:ann_lee-1@sub.example.com?subject=dog', 'mailto:[email]?subject=dog'],
  ['пишите: анна@пример.рф', 'пишите: [email]'],
  ['пишите: анна@xn--e1afmkfd.xn--p1ai!', 'пишите: [email]!'],
  [
    '?a=%D0%B0%D0%BD%D0%BD%D0%B0%40%d0%bf%d1%80%d0%b8%d0%bc%d0%b5%d1%80.%D1%80%D1%84&b=1',
    '?a=[email]&b=1',
  ],
  ['ａ@b: ann＠example．com', 'ａ@b: [email]'],
  // telephone numbers
  ['+79161234567', '[phone]'],
  ['＋７９１６１２３４５６７', '[phone]'],
  ['звоните ８（９１６）１２３－４５－６７!', 'звоните [phone]!'],
  ['?tel=%EF%BC%8B%EF%BC%97%EF%BC%99161234567', '?tel=[phone]'],
  ['+7 916 123-45-67', '[phone]'],
  ['+7 (916) 123-45-67', '[phone]'],
  ['+7(916)1234567', '[phone]'],
  ['+7-916-123-45-67', '[phone]'],
  ['+7.916.123.45.67', '[phone]'],
  ['89161234567', '[phone]'],
  ['8 916 123 45 67', '[phone]'],
  ['8 (916) 123-45-67', '[phone]'],
  ['8-916-123-45-67', '[phone]'],
  ['8(800)555-35-35', '[phone]'],
  ['79161234567', '[phone]'],
  ['+7\u00a0916\u00a0123\u201145\u201167', '[phone]'],
  ['8\u00a0(916)\u00a0123\u201345\u201367', '[phone]'],
  ['8\u200e916\u00ad123\u206945\ufeff67', '[phone]'],
  ['8·916•123·45·67', '[phone]'],
  ['звоните 8 (916) 123-45-67 или +7 495 765-43-21!', 'звоните [phone] или [phone]!'],
  ['тел.:+79161234567,Анна', 'тел.:[phone],Анна'],
  ['tel:+79161234567', 'tel:[phone]'],
  ['{"text":"call\\n89161234567"}', '{"text":"call\\n[phone]"}'],
  ['+1 202-555-0143', '[phone]'],
  ['+1 (202) 555-0143', '[phone]'],
  ['+44 20 7946 0958', '[phone]'],
  ['+49 (0)30 901820', '[phone]'],
  ['+375 29 123-45-67', '[phone]'],
  ['+442079460958', '[phone]'],
  // behind the escapes of addresses, HTML and MarkdownV2
  ['a%40b.example', '[email]'],
  ['ann.lee%2Bnews%40mail.example', '[email]'],
  ['?next=1&access_token%3Dabcdefgh', '?next=1&access_token=[token]'],
  ['Bearer%20abcdefgh12345', 'Bearer [token]'],
  ['https://x.example/?phone=%2B79165551049', 'https://x.example/?phone=[phone]'],
  [String.raw`\+7 \(916\) 555\-10\-49`, '[phone]'],
  [String.raw`ivan\.petrov@mail\.ru`, '[email]'],
  ['+7&nbsp;916&#160;555&#8209;10&minus;49', '[phone]'],
  ['ann&#64;example.com', '[email]'],
  ['+7 916 555\u221210\u221249', '[phone]'],
  // cookies and passwords
  ['Cookie: session=abc123; theme=dark', 'Cookie: [token]'],
  ['{"set-cookie": "sid=abc; Path=/"}', '{"set-cookie": "[token]"}'],
  ['pwd=hunter22', 'pwd=[token]'],
  ['passphrase: hunter22', 'passphrase: [token]'],
  [
    'https://s3.example/a.jpg?X-Amz-Signature=5d672d79',
    'https://s3.example/a.jpg?X-Amz-Signature=[token]',
  ],
  // escapes of MarkdownV2 in JSON that was quoted into a text
  [String.raw`{"text":"ann\\.b@example\\.com"}`, '{"text":"[email]"}'],
  // right behind a word
  ['id89165551049', 'id[phone]'],
  ['phone_89165551049', 'phone_[phone]'],
  ['тел89165551049', 'тел[phone]'],
  ['photo_89165551049_1.jpg', 'photo_[phone]_1.jpg'],
  ['/media/89165551049_1.jpg', '/media/[phone]_1.jpg'],
  // between underscores and slashes, as in names of files
  ['+7_916_555_10_49.jpg', '[phone].jpg'],
  ['8_916_555_10_49 or 8/916/555/10/49', '[phone] or [phone]'],
  ['+49 (0)30/901820', '[phone]'],
  // logins in addresses
  ['redis://:hunter22@cache:6379/0', 'redis://[token]@cache:6379/0'],
  ['https://ann:hunter22@10.0.0.7:9000/x?a=b@c', 'https://[token]@10.0.0.7:9000/x?a=b@c'],
  ['secret_key=hunter22', 'secret_key=[token]'],
  // one number right behind another, or behind a word
  ['+79161234567+79161234567 +79161234567', '[phone]+[phone] [phone]'],
  ['a+79161234567', 'a[phone]'],
  ['8 916 123 45 67\n8 916 123 45 67', '[phone]\n[phone]'],
  ['8 8 8 8 8 8 8 8 8 8 8 8', '[phone] 8'],
  // behind a dash or a letter, with 007, with emoji between, and without 7 or 8
  ['тел.-89161234567, тел-8(916)123-45-67', 'тел.-[phone], тел-[phone]'],
  ['Анна -8 916 123-45-67', 'Анна -[phone]'],
  ['тел8 (916) 123-45-67', 'тел[phone]'],
  ['моб+375 29 123-45-67', 'моб[phone]'],
  ['0079161234567', '[phone]'],
  ['8️⃣9️⃣1️⃣6️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣', '[phone]️⃣'],
  ['(495) 765-43-21 или 916 123 45 67', '[phone] или [phone]'],
  ['Тел. 9161234567, телефон: 495 7654321', 'Тел. [phone], телефон: [phone]'],
  [
    '{"phone":"9161234567","phone_number": "7654321"}',
    '{"phone":"[phone]","phone_number": "[phone]"}',
  ],
  // between tags of HTML, and escaped twice
  ['+7 <b>916</b> 123-45-<i>67</i>.', '[phone] .'],
  ['ann<b>@</b>example.com', '[email]'],
  ['ann%2540example.com, tel=%252B79161234567', '[email], tel=[phone]'],
  ['&amp;plus;7 916 123-45-67, ann&amp;#064;example.com', '[phone], [email]'],
  [String.raw`{"a":"ann\u0040example.com"}`, '{"a":"[email]"}'],
  // e-mail addresses of other letters, and with blanks or words in them
  ['jürgen.łoś@müller.example', '[email]'],
  ['ann @ example.com, ann(at)example.com, ann [at] example.com', '[email], [email], [email]'],
  // headers with a scheme of their own
  ['Authorization: ApiKey f9LHodD0cOKMaLD7', 'Authorization: [token]'],
  ['Proxy-Authorization: Negotiate YIIJvwYGKwYBBQUCoIIJ', 'Proxy-Authorization: [token]'],
  [
    'Authorization: Digest username="ann", uri="/", response="6629fae4"\nnext: line',
    'Authorization: [token]\nnext: line',
  ],
  [
    'Authorization: AWS4-HMAC-SHA256 Credential=AKIA/s3, SignedHeaders=host;x-date, Signature=fe5f80f7',
    'Authorization: [token];x-date, Signature=[token]',
  ],
  ['X-Auth-Key: abcd1234', 'X-Auth-Key: [token]'],
  // secrets in quotes, to their end
  ['{"password":"my secret phrase","a":1}', '{"password":"[token]","a":1}'],
  [
    String.raw`{\"secret\": \"a,b&c;d e\", \"n\": 2}`,
    String.raw`{\"secret\": \"[token]\", \"n\": 2}`,
  ],
  ["token: 'ab cd'", "token: '[token]'"],
  [
    'login: ann, pass: hunter22; PHPSESSID=298zf09h',
    'login: ann, pass: [token]; PHPSESSID=[token]',
  ],
  ['пароль: hunter22, Токен=f9LHodD0', 'пароль: [token], Токен=[token]'],
  ['postgres://ann:p@ss@db.example/x', 'postgres://[token]@db.example/x'],
  // tokens that are known by their form
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N', '[token]'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '[token]'],
  ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '[token]'],
  ['xoxb-123456789012-AbCdEfGhIjKl and AKIAIOSFODNN7EXAMPLE', '[token] and [token]'],
  ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', '[token]'],
  [
    '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n-----END PRIVATE KEY-----',
    '[token]-----END PRIVATE KEY-----',
  ],
];

const kept = [
  // ids of chats, messages and posts
  '-1001234567890',
  'chat -1001234567890 not found',
  '@lost_pets_msk',
  'https://t.me/lost_pets/4211',
  'https://vk.com/wall-12345678_90123',
  'wall-171234567_8012345',
  'mid.0000000012a4f3b1019a6d3e2c5b7f88',
  'AgACAgIAAxkBAAIBZ2',
  '1234567890',
  '1772445600000',
  '9007199254740993',
  // escapes that hide nothing
  'https://x.example/?q=lost%20dog&a=1',
  String.raw`Lost dog\. Call us\!`,
  'Tom &amp; Jerry&nbsp;&mdash; 5 &#43; 3',
  '100 % of 5 & more, a cookie: it is a biscuit',
  'https://t.me/@lost_pets and 8/03/2026, 8_12_2026_10_30',
  // long ids that are no phone numbers
  'id712345678901',
  'post_81234567890',
  '3f0c1a52-7b9e-4d27-8a6f-a89161234567',
  'd89161234567',
  'wall-83654321_8012345, chat -70000000000001, chat -4123456789',
  'hotel: 1234567, iPhone 12 345 6789, telegram 10.2.1',
  'meet at @lost_pets, 5 @ 3, a compass: north',
  'password: "", sk_demo',
  '<b>Lost</b> dog, 5 &lt; 7',
  // ids, hashes and versions of ours
  '3f0c1a52-7b9e-4d27-8a6f-5e2d9c4b7a10',
  '71234567-890a-4bcd-8ef0-123456789abc',
  '9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de',
  'telegram 10.2.1',
  '192.168.100.200:5432',
  // times, prices and amounts
  '2026-03-02T10:00:00.000Z',
  '2026-03-02 10:00:00.123456+00',
  '02.03.2026 10:00',
  '8.03.2026',
  'с 7.03.2026 по 8.03.2026',
  '1 299 990 ₽',
  '8 499,90 руб.',
  '79 990 ₽',
  '+15 °C',
  '7 out of 10',
  '5:30, 18:45',
  'retry after 35',
  // what providers say
  'Too Many Requests: retry after 35',
  'Bad Request: chat not found',
  'Unauthorized: invalid token specified',
  'Misdirected Request: unallowed token specified',
  'Forbidden: bot was kicked from the supergroup chat',
  'Bad Request: can\'t parse entities: Unsupported start tag "b1" at byte offset 12',
  'User authorization failed: invalid access_token (4).',
  'User authorization failed: access_token was given to another ip address.',
  'Anonymous token is invalid',
  'Access token has expired',
  'Invalid access_token',
  'Key: errors.process.attachment.file.not.processed',
  // plain words
  'Lost: a ginger dog near the station, reward 5000',
  'basic information about the dog',
  'the bearer of good news',
  'a secret garden, a token gesture, a password nobody knows',
  'a design: simple',
  'Пропала рыжая собака, район вокзала',
  '',
] as const;

describe('a text', () => {
  it.each(masked)('loses what must not be kept: %s', async (text, becomes) => {
    expect(await maskText(text)).toBe(becomes);
  });

  it.each(kept)('keeps what an operator needs: %s', async (text) => {
    expect(await maskText(text)).toBe(text);
  });

  it('that is null stays null', async () => {
    expect(await maskText(null)).toBeNull();
  });

  it('masked twice is the same as masked once', async () => {
    await fc.assert(
      fc.asyncProperty(roughText, async (text) => {
        const once = await maskText(text);
        expect(await maskText(once)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });
});

/** Texts made of the pieces that masking looks at, next to one another in every order. */
const pieces = [
  'Bearer |Basic |token=|authorization: |secret|sig|abcdefghij|х',
  '"|\\"|:|=| |-|&|,|}|(|)|.',
  '+7|8|916|123-45-67|ann@|example.com|[token]|[phone]|[email]',
].flatMap((line) => line.split('|'));
const piece = fc.constantFrom(botToken, vkToken, ...pieces);
const roughText = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((some) => some.join('')),
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
);
async function maskText(text: string | null): Promise<string | null> {
  const row = z.object({ masked: z.string().nullable() });
  const found = await queryRow(database.admin, row, 'select outrider.mask_text($1) as masked', [
    text,
  ]);
  return found.masked;
}
