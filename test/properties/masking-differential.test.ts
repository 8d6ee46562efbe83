import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { maskJson, maskText } from '../../src/masking.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// The log and the command line mask by src/masking.ts, the record by mask_text and mask_json. They must agree.

const database = await useDatabase();

/** What masking looks for, what it must leave, and what comes between. */
const pieces: readonly string[] = [
  ['123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1', '12345:short', 'vk1.a.Kx7Qz0-_mWv3y5Rt8Pp2Lq9'],
  ['Bearer ', 'basic ', 'token ', 'YWxhZGRpbjpvcGVuc2VzYW1l', 'abcdefg1', 'ordinary', 'word'],
  [
    'Authorization: ',
    'access_token=',
    'api-key: ',
    'X-Max-Bot-Api-Secret: ',
    'x-a-token: ',
    'sig=',
    'secret_key=',
    'redis://',
    '://ann:hunter22',
  ],
  ['"password":"', "client_secret='", 'secret', 'token', '[token]', 'passwd :\t', '\\"', '": "'],
  [
    'ann',
    'ann@mail.co',
    'b.анна@x-1.пример.рф',
    'ann.lee+news',
    '@',
    'mail',
    '.',
    '.co',
    '.рф',
    'анна',
    'пример',
    'a1',
    '_x',
    '%',
    '-',
  ],
  [
    '%40',
    '%2b',
    '%D0%B0',
    '%d1%84',
    '%EF%BC%97',
    '%D0',
    '＋７９１６',
    '１２３－４５－６７',
    '＠',
    '．',
    '.xn--p1ai',
    '%3D',
    '%20',
    '&nbsp;',
    '&#160;',
    '&minus;',
    '\\.',
    '\\-',
    '\\+',
    '\u2212',
    '\u200b',
    '\u00ad',
    '\u2069',
    '·',
  ],
  ['Cookie: ', 'set-cookie":"', 'a=b; c=d', 'pwd=', 'id', 'phone_', '89161234567', '_', 'd'],
  ['+7', '8', '7', '916', '123', '45', '67', '0143', '(495)', '+1 202-555-0143', '89161234567'],
  [
    ' ',
    '\n',
    '\t',
    '\u00a0',
    '\u2009',
    '\u2011',
    '\u2013',
    '\\n',
    '\\',
    '/',
    ':',
    ',',
    '&',
    ';',
    '}',
    "'",
  ],
  ['тел.', 'тел-', 'phone: ', '"phone":"', '00', '916 123-45-67', '\ufe0f\u20e3', '-8', '-8 916'],
  ['<b>', '</b>', '<br/>', '%2540', '%25', '&amp;', '&amp;#064;', '\\u0040', ' @ ', '(at)', 'ü'],
  ['Authorization: Digest a="', ', b=', 'ApiKey ', 'pass=', 'пароль: ', "'", 'sessid=', '\n'],
  ['eyJhbGciOi.eyJzdWIiOi', 'whsec_MfKQ9r8GKYqrTwj', 'ghp_16C7e42F292c6912E7710c', 'sk_live_'],
  ['I', 'ж', 'é', '漢', '🐕', '100', '-1001234567890', 'https://user:', '://', '=', '?', '!'],
].flat();

const text = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((some) => some.join(''));

const key = fc.constantFrom(
  'text',
  'token',
  'apiKey',
  'api_key',
  'userPhone',
  'phone_number',
  'tel',
  'phones',
  'hotel',
  'secret',
  'accessToken',
  'signature',
  'set-cookie',
  'key',
  'privateKey',
  'count',
  'tokens',
  '+7 916 123-45-67',
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    fc.constantFrom(null, true, 5, 1.5, -79161234567, 79161234567, 89161234567, 916123456),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe('masking', () => {
  it('is the same in the log as in the record, for four thousand texts', async () => {
    const texts = fc.sample(text, 4000);
    const rows = await queryRows(
      database.admin,
      z.object({ masked: z.string() }),
      `select outrider.mask_text(t.text) as masked
       from unnest($1::text[]) with ordinality as t (text, n) order by t.n`,
      [texts],
    );
    const differing = texts
      .map((given, n) => ({ given, log: maskText(given), record: rows[n]?.masked }))
      .filter(({ log, record }) => log !== record);
    expect(differing.slice(0, 5)).toEqual([]);
  });

  it('meets something to mask in most of them', () => {
    const texts = fc.sample(text, 1000);
    const masked = texts.filter((given) => maskText(given) !== given);
    expect(masked.length).toBeGreaterThan(250);
    for (const mask of ['[token]', '[email]', '[phone]']) {
      const some = masked.filter((given) => maskText(given).includes(mask));
      expect(some.length).toBeGreaterThan(20);
    }
  });

  it('is the same for a thousand JSON documents', async () => {
    const documents = fc.sample(json, 1000);
    const rows = await queryRows(
      database.admin,
      z.object({ masked: z.unknown() }),
      `select outrider.mask_json(t.document) as masked
       from jsonb_array_elements($1::jsonb) with ordinality as t (document, n) order by t.n`,
      [JSON.stringify(documents)],
    );
    const differing = documents
      .map((given, n) => ({ given, log: maskJson(given), record: rows[n]?.masked }))
      .filter(({ log, record }) => JSON.stringify(sorted(log)) !== JSON.stringify(sorted(record)));
    expect(differing.slice(0, 3)).toEqual([]);
  });

  it.each([
    'a',
    '1',
    'x-',
    '+1',
    'token ',
    'a@',
    'a.',
    '7 ',
    '%40',
    'a%40b.',
    'cookie:',
    '8\\-',
    'id8',
    '+7_',
    '://a',
    '://a:',
    'Authorization: a="',
    ', a="b"',
    'token: "',
    ' 916 ',
    '<b ',
    'tel',
    'a @ ',
    'eyJaaaaaaaaa.',
  ])('takes 200 KB of "%s" in its stride', (piece) => {
    const long = piece.repeat(200_000 / piece.length);
    const before = process.threadCpuUsage();
    maskText(long);
    // Of this thread: neighbours do not count.
    const { user } = process.threadCpuUsage(before);
    // A pattern that looks again and again takes minutes.
    expect(user).toBeLessThan(5_000_000);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}
